import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, type Token } from "acorn";
import { expect, test } from "vitest";
import { NEEDED_APIS } from "../../../app/ui/document/needed-apis";
import { root } from "../../../tools/wrangler/wrangler";

/* What a browser must have to run the built scripts. Compilers lower syntax, but neither regular expressions nor APIs. */

/** APIs that came after 2016, or came late to one of the browsers. */
const LATER_APIS = [
  ...["entries", "values", "fromEntries", "getOwnPropertyDescriptors", "hasOwn", "groupBy"].map(
    (name) => `Object.${name}`,
  ),
  ...["allSettled", "any", "try", "withResolvers"].map((name) => `Promise.${name}`),
  ...["at", "flat", "flatMap", "findLast", "findLastIndex", "toSorted", "toReversed", "toSpliced", "copyWithin"].map(
    (name) => `Array.prototype.${name}`,
  ),
  ...["padStart", "padEnd", "trimStart", "trimEnd", "matchAll", "replaceAll", "isWellFormed", "toWellFormed"].map(
    (name) => `String.prototype.${name}`,
  ),
  ...["Promise.prototype.finally", "Array.fromAsync", "RegExp.escape", "Symbol.asyncIterator", "Symbol.dispose"],
  ...["globalThis", "BigInt", "WeakRef", "FinalizationRegistry", "AggregateError", "SharedArrayBuffer", "Iterator"],
  ...["Intl.ListFormat", "Intl.RelativeTimeFormat", "Intl.Segmenter", "Intl.DisplayNames"],
  ...["fetch", "AbortController", "Headers", "Request", "Response", "URL", "URLSearchParams", "InputEvent"],
  ...["AbortSignal.any", "AbortSignal.timeout", "AbortSignal.prototype.throwIfAborted", "URL.canParse", "URL.parse"],
  ...["ReadableStream.prototype.pipeThrough", "TransformStream", "WritableStream", "CompressionStream"],
  ...["TextEncoder", "TextDecoder", "TextEncoderStream", "TextDecoderStream"],
  ...["queueMicrotask", "structuredClone", "reportError", "requestIdleCallback", "scheduler"],
  ...["IntersectionObserver", "ResizeObserver", "PerformanceObserver", "BroadcastChannel", "trustedTypes"],
  ...["FormData.prototype.getAll", "MutationObserver", "visualViewport"],
  ...["crypto.randomUUID", "crypto.subtle", "navigator.clipboard", "navigator.locks", "navigator.share"],
  ...["replaceChildren", "replaceWith", "toggleAttribute", "checkVisibility", "animate", "getAnimations"].map(
    (name) => `Element.prototype.${name}`,
  ),
  ...["showPopover", "showModal", "inert"].map((name) => `HTMLElement.prototype.${name}`),
  ...["HTMLFormElement.prototype.requestSubmit", "SubmitEvent.prototype.submitter"],
  "Document.prototype.startViewTransition",
];

/** Used only where the browser has it, or for values and properties that no page here has. */
const OPTIONAL: Record<string, string> = {
  "Array.prototype.at": "Conform needs it for lists of fields",
  BigInt: "turbo-stream decodes one only from a value that is one",
  queueMicrotask: "React asks for it",
  reportError: "React asks for it",
  IntersectionObserver: "Remix observes only links that prefetch",
  "navigator.clipboard": "the button to copy a link asks for it",
  "HTMLFormElement.prototype.requestSubmit": "Conform asks for it",
  "Document.prototype.startViewTransition": "React Router asks for it",
};

const paths = readdirSync(join(root, "public/build"), { recursive: true, encoding: "utf8" });
const scripts = paths.filter((path) => path.endsWith(".js"));
/** The tokens of all scripts, parsed as ES2020. Throws a SyntaxError for what is newer. */
const parts = scripts.flatMap((path) => {
  const code = readFileSync(join(root, "public/build", path), "utf8");
  const tokens: Token[] = [];
  parse(code, { ecmaVersion: 2020, sourceType: "module", onToken: tokens });
  return tokens.map(({ type, start, end }) => ({ kind: type.label, text: code.slice(start, end) }));
});
const GLOBAL_OBJECTS = ["window", "globalThis", "self"];

/** True if some script names the API: a global by itself, a method of instances after any dot, another one after its owner. */
function isUsed(api: string): boolean {
  const [owner = "", ...path] = api.split(".");
  const name = path[path.length - 1] ?? owner;
  return parts.some(({ kind, text }, index) => {
    if (kind !== "name" || text !== name) return false;
    const before = /^\??\.$/.test(parts[index - 1]?.text ?? "") ? (parts[index - 2]?.text ?? "") : undefined;
    if (path.length === 0) return before === undefined || GLOBAL_OBJECTS.includes(before);
    return before !== undefined && (path[0] === "prototype" || before === owner);
  });
}

test("no regular expression has a lookbehind, which Safari before 16.4 cannot parse", () => {
  expect(scripts.length, "scripts found").toBeGreaterThan(5);
  const patterns = parts.filter(({ kind }) => ["regexp", "string", "template"].includes(kind));
  expect(patterns.filter(({ text }) => /\(\?<[=!]/.test(text))).toEqual([]);
});

test("the page asks for the later APIs that a script uses, and no others, except those that it can do without", () => {
  const expected = [...NEEDED_APIS, ...Object.keys(OPTIONAL)];
  expect(LATER_APIS.filter(isUsed).sort()).toEqual(expected.sort());
});
