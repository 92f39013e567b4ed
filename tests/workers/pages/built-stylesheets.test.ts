import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { CompatData, Identifier } from "@mdn/browser-compat-data";
import postcss, { AtRule, type ChildNode, type Container, type Declaration, type Rule } from "postcss";
import { expect, test } from "vitest";
import { OLDEST_BROWSERS } from "../../../tools/browser-bundle/oldest-browsers.mjs";
import { root } from "../../../tools/wrangler/wrangler";

/* The built stylesheets in the oldest browsers that get the designed pages, by MDN's compatibility data. */

const data: CompatData = createRequire(import.meta.url)("@mdn/browser-compat-data");
const { "at-rules": atRules = {}, properties = {}, selectors = {}, types = {} } = data.css;

/** Without these the page is only plainer. Anything else needs a fallback in its rule or an `@supports` around it. */
const ENHANCEMENTS: Record<string, string> = {
  "@container": "a table of two columns stays one in narrow windows",
  "@font-face ascent-override": "headlines move by a pixel when their font arrives",
  "@font-face descent-override": "the same",
  "@font-face size-adjust": "the same",
  ":focus-visible": "the browser's own focus ring",
  ":has": "a selected plan has its radio button, but no colored box; headings may end a printed page",
  "::backdrop": "nothing is styled there",
  "::details-content": "closed questions are not printed",
  "::marker": "bullets have the text's color",
  "accent-color": "radio buttons have the browser's color",
  "align-content: start": "known in grids, where it is used",
  "align-self: start": "known in grids, where it is used",
  "color-scheme": "scroll bars are light in the dark theme",
  "container-type": "see @container",
  "content-visibility": "see ::details-content",
  "forced-color-adjust": "only in forced colors",
  "grid-template-rows: subgrid": "the rows of plan cards are not aligned",
  "break-after: avoid": "only in print",
  orphans: "only in print",
  widows: "only in print",
  "overflow-wrap: anywhere": "the inherited break-word",
  "scroll-behavior": "jumps instead of scrolling",
  "text-decoration-thickness": "the font's own thickness",
  "text-underline-offset": "the font's own offset",
  "text-wrap": "lines of headings are not balanced",
};

const PREFIX = /^-(?:webkit|moz)-/;
const BROWSERS = ["chrome", "safari", "firefox"] as const;
const number = (version: unknown) => Number.parseFloat(String(version).replace("≤", ""));

/** True if all the oldest browsers know it, without a prefix or a setting. True too if the data does not name it. */
function isKnown(entry: Identifier | undefined): boolean {
  const support = entry?.__compat?.support;
  if (support === undefined) return true;
  return BROWSERS.every((browser) =>
    [support[browser] ?? []].flat().some(({ version_added, version_removed, prefix, flags, alternative_name }) => {
      if (prefix || flags || alternative_name) return false;
      const [added, removed] = [number(version_added), number(version_removed ?? Infinity)];
      return added <= OLDEST_BROWSERS[browser] && removed > OLDEST_BROWSERS[browser];
    }),
  );
}

const UNITS: Record<string, Identifier | undefined> = {
  svh: types.length?.viewport_percentage_units_small,
  dvh: types.length?.viewport_percentage_units_dynamic,
  lvh: types.length?.viewport_percentage_units_large,
  cqi: types.length?.container_query_length_units,
  lh: types.length?.lh,
};

/** What some browser does not know of a declaration: its property, or a word, function or unit of its value. */
function unknownIn({ prop, value }: Declaration): string | undefined {
  if (prop.startsWith("--") || PREFIX.test(prop)) return undefined;
  const property = properties[prop];
  if (property === undefined || !isKnown(property)) return prop;
  if (prop === "content" && value.includes("/") && !isKnown(property.alt_text)) return "content with alternative text";
  const text = value.replaceAll(/"[^"]*"|url\([^)]*\)|var\(--[\w-]+/g, "");
  for (const [word] of text.matchAll(/(?<![\w.%-])[a-z][\w-]*/gi))
    if (!isKnown(property[word]) || !isKnown(types[word]) || !isKnown(types.color?.[word])) return `${prop}: ${word}`;
  for (const [, unit = ""] of text.matchAll(/[\d.]([a-z]+)/gi)) if (!isKnown(UNITS[unit])) return `${prop}: ${unit}`;
  return undefined;
}

const hasFallback = (declaration: Declaration) =>
  declaration.parent?.some(
    (node) =>
      node.type === "decl" &&
      node !== declaration &&
      node.prop.replace(PREFIX, "") === declaration.prop &&
      unknownIn(node) === undefined,
  );

function isAsked(node: ChildNode | Container | undefined): boolean {
  for (let above = node?.parent; above; above = above.parent)
    if (above instanceof AtRule && above.name === "supports") return true;
  return false;
}

function unknownInSelector(selector: string): string | undefined {
  const pseudos = [...selector.matchAll(/(::?)([a-z-]+)/g)];
  for (const [text, , name = ""] of pseudos) if (!PREFIX.test(name) && !isKnown(selectors[name])) return text;
  return /:not\([^()]*,/.test(selector) ? "a list in :not()" : undefined;
}

/** A browser drops a whole rule if it does not know one of its selectors. */
function unsupportedInRule(rule: Rule): string[] {
  const found = rule.selectors.map(unknownInSelector);
  const unknown = found.filter((name) => name !== undefined);
  if (unknown.length > 0 && unknown.length < found.length) return [`${unknown} takes along ${rule.selector}`];
  const declared = (prop: RegExp, value: RegExp) =>
    rule.some((node) => node.type === "decl" && prop.test(node.prop) && value.test(node.value));
  const isFlexWithGap = declared(/^display$/, /flex/) && declared(/^(column-|row-)?gap$/, /[1-9]/);
  return [...new Set(unknown), ...(isFlexWithGap ? [`a gap in a flex box: ${rule.selector}`] : [])];
}

/** What some browser does not know of a node, unless an `@supports` is around it. */
function unsupportedIn(node: ChildNode): (string | undefined)[] {
  const above = node.parent instanceof AtRule ? node.parent.name : "";
  if (isAsked(node)) return [];
  if (node.type === "rule") return above === "keyframes" ? [] : unsupportedInRule(node);
  if (node.type === "decl" && above !== "font-face") return hasFallback(node) ? [] : [unknownIn(node)];
  if (node.type === "decl") return isKnown(atRules["font-face"]?.[node.prop]) ? [] : [`@font-face ${node.prop}`];
  if (node.type !== "atrule") return [];
  const isNewMedia = node.name === "media" && /[<>]|not \(|\bor\b/.test(node.params);
  return [isKnown(atRules[node.name]) ? undefined : `@${node.name}`, isNewMedia ? `@media ${node.params}` : undefined];
}

const folder = join(root, "public/build/_assets");
const stylesheets = readdirSync(folder).filter((name) => name.endsWith(".css"));
const codes = stylesheets.map((name) => readFileSync(join(folder, name), "utf8"));

test("the oldest browsers know all of the stylesheets that they need: what they do not know only makes a page plainer", () => {
  const found: (string | undefined)[] = [];
  for (const code of codes) postcss.parse(code).walk((node) => void found.push(...unsupportedIn(node)));
  const unsupported = new Set(found.filter((one) => one !== undefined));
  expect([...unsupported].sort()).toEqual(Object.keys(ENHANCEMENTS).sort());
});

test("no stylesheet asks whether scripting is on, because scripts may be blocked although it is", () => {
  expect(codes.filter((code) => code.includes("(scripting"))).toEqual([]);
});
