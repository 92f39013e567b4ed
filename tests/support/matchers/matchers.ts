import { expect } from "vitest";
import { inWords, noticesIn, problemOf, type Received, receivedOf } from "./received";

/*
 * Custom matchers for a `Response`, a visitor's answer, or a result of `look` or `post`. Their messages show the expected and the
 * actual answer.
 */

interface ResponseMatchers {
  toHaveStatus(status: number): void;
  /** `status` defaults to 303, the answer to a form. */
  toRedirectTo(location: string, status?: number): void;
  /** Without `value`, any value passes. */
  toHaveHeader(name: string, value?: string | RegExp): void;
  /** Each of these headers; the message shows only those that differ. */
  toHaveHeaders(headers: Record<string, string | RegExp>): void;
  /** A cookie by its name, such as `__Host-signup`, and attributes that it has, such as `HttpOnly`. */
  toSetCookie(name: string, ...attributes: string[]): void;
  /** Problem details (RFC 9457) with a title, or with a type if it begins with `urn:`. */
  toBeProblem(status: number, titleOrType: string): void;
  /** A notice with this title, and with these words in its text. Also takes a document or an element. */
  toShowNotice(title: string, text?: string): void;
}

declare module "vitest" {
  interface Matchers<T> extends ResponseMatchers {}
}

/** @param expected completes "Expected …" */
function result(pass: boolean, expected: string, actual: string) {
  return { pass, message: () => `Expected ${pass ? "anything but " : ""}${expected}\nReceived ${actual}` };
}

const fits = (actual: string | null, value: string | RegExp | undefined) =>
  actual !== null && (value === undefined || (typeof value === "string" ? actual === value : value.test(actual)));

const headerInWords = (name: string, value: unknown) => `the header ${name}${value === undefined ? "" : `: ${value}`}`;

function headersResult(value: unknown, expected: Record<string, string | RegExp | undefined>) {
  const received = receivedOf(value);
  const all = Object.entries(expected).map(([name, each]) => ({ name, each, actual: received.headers.get(name) }));
  const wrong = all.filter(({ each, actual }) => !fits(actual, each));
  const named = wrong.length > 0 ? wrong : all;
  const wanted = named.map(({ name, each }) => headerInWords(name, each));
  const instead = named.map(({ name, actual }) =>
    actual === null ? `no header ${name}` : headerInWords(name, actual),
  );
  return result(wrong.length === 0, wanted.join(" and "), `${instead.join(" and ")} (${inWords(received)})`);
}

function cookiesOf({ headers }: Received) {
  return headers.getSetCookie().map((line) => {
    const [pair = "", ...attributes] = line.split(/;\s*/);
    return { name: pair.split("=")[0], attributes };
  });
}

expect.extend({
  toHaveStatus(value: unknown, status: number) {
    const received = receivedOf(value);
    return result(received.status === status, `status ${status}`, inWords(received));
  },

  toRedirectTo(value: unknown, location: string, status = 303) {
    const received = receivedOf(value);
    const isThere = received.status === status && received.headers.get("Location") === location;
    return result(isThere, `a redirect, ${status} to ${location}`, inWords(received));
  },

  toHaveHeader: (value: unknown, name: string, expected?: string | RegExp) =>
    headersResult(value, { [name]: expected }),

  toHaveHeaders: headersResult,

  toSetCookie(value: unknown, name: string, ...attributes: string[]) {
    const received = receivedOf(value);
    const cookies = cookiesOf(received);
    const isSet = cookies.some((one) => one.name === name && attributes.every((each) => one.attributes.includes(each)));
    const set = cookies.map((cookie) => [cookie.name, ...cookie.attributes].join("; "));
    const actual = set.length === 0 ? "no cookie" : `the cookies ${set.join(" and ")}`;
    return result(isSet, `the cookie ${[name, ...attributes].join("; ")}`, `${actual} (${inWords(received)})`);
  },

  toBeProblem(value: unknown, status: number, titleOrType: string) {
    const received = receivedOf(value);
    const problem = problemOf(received);
    const actual = titleOrType.startsWith("urn:") ? problem?.type : problem?.title;
    const isIt = received.status === status && actual === titleOrType;
    return result(isIt, `${status}, problem "${titleOrType}"`, inWords(received));
  },

  toShowNotice(value: unknown, title: string, text = "") {
    const notices = noticesIn(value);
    const isShown = notices.some((notice) => notice.title === title && notice.text.includes(text));
    const shown = notices.map((notice) => `the notice "${notice.title}": ${notice.text}`);
    const actual = shown.length > 0 ? shown.join("\n") : "no notice";
    return result(isShown, `the notice "${title}"${text && `: ${text}`}`, actual);
  },
});
