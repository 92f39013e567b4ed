import { describe, expect, test } from "vitest";
import {
  BODY_TOO_LARGE,
  BODY_TOO_SLOW,
  CROSS_ORIGIN,
  MALFORMED,
  methodNotAllowed,
  NOT_FOUND,
  TOO_MANY_REQUESTS,
  UNSUPPORTED_TYPE,
  URL_TOO_LONG,
} from "../../../app/pipeline/guard/refusals.server";
import { countingLimiter } from "../../support/site-in-process/site-settings";
import { FOREIGN_BROWSER, formWith, watchedForm } from "./posted-form";
import { smallSite } from "./small-site";

/* A refusal's page and log line, and a flood of forms, which is refused unread. */

const AGAIN = "Please open the sign-up page again and send";

test.each([
  {
    refusal: MALFORMED,
    status: 400,
    title: "Malformed request",
    message: `The request could not be read. ${AGAIN} the form from there.`,
  },
  {
    refusal: CROSS_ORIGIN,
    status: 403,
    title: "Request refused",
    message: `This form was not sent from our site. ${AGAIN} it from there.`,
  },
  { refusal: NOT_FOUND, status: 404, title: "Not found", message: "There is no such page." },
  {
    refusal: methodNotAllowed("GET"),
    status: 405,
    title: "Method not allowed",
    message: "This page does not accept that kind of request.",
  },
  {
    refusal: BODY_TOO_SLOW,
    status: 408,
    title: "Request timed out",
    message: "The form did not arrive in time. Please check your connection and try again.",
  },
  {
    refusal: BODY_TOO_LARGE,
    status: 413,
    title: "Too much data",
    message: "The form is too large. Please shorten your entries and try again.",
  },
  { refusal: URL_TOO_LONG, status: 414, title: "URL too long", message: "The URL is longer than this site accepts." },
  {
    refusal: UNSUPPORTED_TYPE,
    status: 415,
    title: "Unsupported form",
    message: `The form could not be read. ${AGAIN} it from there.`,
  },
  {
    refusal: TOO_MANY_REQUESTS,
    status: 429,
    title: "Too many requests",
    message: "Please wait a moment and try again.",
  },
])("the refusal $status has its words for a visitor", ({ refusal, ...words }) => {
  expect(refusal).toMatchObject(words);
});

test("a refused form is logged as refused, with the reason, and its body is not read", async () => {
  const { ask, requests } = smallSite();
  const { form, wasRead } = watchedForm(FOREIGN_BROWSER);
  await ask("/subscription", form);
  expect(requests()).toMatchObject([{ status: 403, outcome: "refused", reason: "Request refused" }]);
  expect(wasRead(), "the body was read").toBe(false);
});

test("a page's script reads a refusal as Remix's error response, with its message", async () => {
  const answer = await smallSite().ask("/subscription.data", formWith({}, FOREIGN_BROWSER));
  expect(answer).toHaveStatus(403);
  expect(await answer.text()).toMatch(/"ErrorResponse".*"This form was not sent from our site\..*,403,/);
});

test("a page's script gets a refusal's headers too", async () => {
  const answer = await smallSite().ask("/subscription.data", { method: "PUT" });
  expect(answer).toHaveStatus(405);
  expect(answer).toHaveHeader("Allow", "GET, HEAD, POST");
});

describe("a flood of forms", () => {
  const sender = { "CF-Connecting-IP": "2001:db8::1" };

  test("is counted by the sender's /64 network", async () => {
    const FLOOD_RATE_LIMIT = countingLimiter(1);
    await smallSite({ FLOOD_RATE_LIMIT }).ask("/subscription", formWith(sender));
    expect(FLOOD_RATE_LIMIT.keys).toEqual(["2001:db8:0:0::/64"]);
  });

  test("is refused from the first form over the limit, unread, and told when to try again", async () => {
    const { ask, posts, requests } = smallSite({ FLOOD_RATE_LIMIT: countingLimiter(1) });
    expect(await ask("/subscription", formWith(sender))).toHaveStatus(200);
    const { form, wasRead } = watchedForm(sender);
    const answer = await ask("/subscription", form);
    expect(answer).toHaveStatus(429);
    expect(answer).toHaveHeader("Retry-After", "60");
    expect(wasRead(), "the body was read").toBe(false);
    expect(posts, "forms that reached the action").toHaveLength(1);
    expect(requests().at(-1)).toMatchObject({ outcome: "refused", reason: "Too many requests" });
  });

  test.each([
    { what: "a page view", path: "/subscription", init: { headers: sender } },
    { what: "a refused form", path: "/subscription", init: formWith(sender, FOREIGN_BROWSER) },
    { what: "a script's form, which the action limits", path: "/subscription.data", init: formWith(sender) },
  ])("does not count $what", async ({ path, init }) => {
    const FLOOD_RATE_LIMIT = countingLimiter(1);
    await smallSite({ FLOOD_RATE_LIMIT }).ask(path, init);
    expect(FLOOD_RATE_LIMIT.keys).toEqual([]);
  });
});
