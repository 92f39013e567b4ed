import { expect } from "vitest";
import { inWords, noticesIn, receivedOf } from "./received";

/*
 * Custom matchers for a `Response`, a visitor's answer, or a result of `look` or `post`. Their messages show the expected and the
 * actual answer.
 */

type Wanted = string | RegExp | undefined;

interface ResponseMatchers {
  toHaveStatus(status: number): void;
  /** `status` defaults to 303, the answer to a form. */
  toRedirectTo(location: string, status?: number): void;
  /** Without `value`, any value passes. */
  toHaveHeader(name: string, value?: Wanted): void;
  /** Each of these headers; the message shows only those that differ. */
  toHaveHeaders(headers: Record<string, Wanted>): void;
  /** Problem details (RFC 9457) with a title, or with a type if it begins with `urn:`. */
  toBeProblem(status: number, titleOrType: string): void;
  /** A notice with this title, and with these words in its text. Also takes a document or an element. */
  toShowNotice(title: string, text?: string): void;
}

declare module "vitest" {
  interface Matchers<T> extends ResponseMatchers {}
}

/** @param expected completes "Expected …" @param received what came instead of it */
function result(pass: boolean, expected: string, received: () => string) {
  return { pass, message: () => `Expected ${pass ? "anything but " : ""}${expected}\nReceived ${received()}` };
}

function headersResult(value: unknown, expected: Record<string, Wanted>) {
  const { headers } = receivedOf(value);
  const isWrong = ([name, wanted]: [string, Wanted]) => {
    const actual = headers.get(name);
    return actual === null || (typeof wanted === "string" ? actual !== wanted : wanted?.test(actual) === false);
  };
  const all = Object.entries(expected);
  const wrong = all.filter(isWrong);
  const named = wrong.length > 0 ? wrong : all;
  const wanted = named.map(([name, each]) => `the header ${name}: ${each ?? "any value"}`);
  const actual = () => named.map(([name]) => `${name}: ${headers.get(name) ?? "nothing"}`).join(" and ");
  return result(wrong.length === 0, wanted.join(" and "), () => `${actual()} (${inWords(value)})`);
}

expect.extend({
  toHaveStatus: (value: unknown, status: number) =>
    result(receivedOf(value).status === status, `status ${status}`, () => inWords(value)),

  toRedirectTo(value: unknown, location: string, status = 303) {
    const received = receivedOf(value);
    const isThere = received.status === status && received.headers.get("Location") === location;
    return result(isThere, `a redirect, ${status} to ${location}`, () => inWords(value));
  },

  toHaveHeader: (value: unknown, name: string, expected?: Wanted) => headersResult(value, { [name]: expected }),

  toHaveHeaders: headersResult,

  toBeProblem(value: unknown, status: number, titleOrType: string) {
    const { headers, text, ...received } = receivedOf(value);
    const isProblem = headers.get("Content-Type")?.startsWith("application/problem+json") && text !== "";
    const { type, title } = isProblem ? JSON.parse(text) : {};
    const isIt = received.status === status && (titleOrType.startsWith("urn:") ? type : title) === titleOrType;
    return result(isIt, `${status}, problem "${titleOrType}"`, () => inWords(value));
  },

  toShowNotice(value: unknown, title: string, text = "") {
    const notices = noticesIn(value);
    const isShown = notices.some((notice) => notice.title === title && notice.text.includes(text));
    const shown = notices.map((notice) => `the notice "${notice.title}": ${notice.text}`);
    return result(isShown, `the notice "${title}": ${text}`, () => shown.join("\n") || "no notice");
  },
});
