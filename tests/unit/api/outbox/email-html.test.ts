import { JSDOM } from "jsdom";
import { describe, expect, test } from "vitest";
import { cardUsedEmail, notMeReportedEmail } from "../../../../functions/subscription-api/outbox/emails/other-emails";
import { trialEndingEmail, trialStartedEmail } from "../../../../functions/subscription-api/outbox/emails/trial-emails";
import { EMAIL_MESSAGE, LINKS, SENDER, TRIAL } from "./message";

/* The HTML of every email has the same words as its text, and is accessible. */

const WITH_MARKUP = { ...EMAIL_MESSAGE, full_name: "<b>Ada</b>", company_name: '<b>Ada</b> & "Sons"' };

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

describe.each([
  { email: "start of the trial", write: () => trialStartedEmail(WITH_MARKUP, TRIAL, SENDER, LINKS) },
  { email: "end of the trial", write: () => trialEndingEmail(WITH_MARKUP, TRIAL, SENDER) },
  { email: "used card", write: () => cardUsedEmail(WITH_MARKUP, SENDER, LINKS.notMe) },
  { email: "report to support", write: () => notMeReportedEmail(WITH_MARKUP, SENDER) },
])("the HTML of the email about the $email", ({ write }) => {
  const documentOf = () => new JSDOM(write().html).window.document;
  /** The names, values, sentences and URLs of the text. */
  const partsOfText = () =>
    write()
      .text.split("\n")
      .flatMap((line) => line.split(": "));

  test("has the words of the text", () => {
    const words = oneLine(documentOf().body.textContent ?? "");
    const missing = partsOfText().filter((part) => !URL.canParse(part) && !words.includes(oneLine(part)));
    expect(missing, "parts of the text that the HTML lacks").toEqual([]);
  });

  test("has the links of the text", () => {
    const links = [...documentOf().links].map(({ href }) => href);
    const urls = partsOfText()
      .filter((part) => URL.canParse(part))
      .map((url) => new URL(url).href);
    expect(urls.length, "links in the text").toBeGreaterThan(0);
    expect(links).toEqual(expect.arrayContaining(urls));
  });

  test("takes no typed text for markup", () => {
    expect(documentOf().body.innerHTML).not.toContain("<b>Ada");
  });

  test("loads nothing and runs nothing", () => {
    expect(documentOf().querySelectorAll("img, script, style, link")).toHaveLength(0);
  });

  test("names its language", () => {
    expect(documentOf().documentElement.lang).toBe("en");
  });

  test("names each row of its table", () => {
    const names = [...documentOf().querySelectorAll("tr > :first-child")];
    expect(names.length, "rows").toBeGreaterThan(0);
    expect(names.filter((cell) => cell.getAttribute("scope") !== "row")).toEqual([]);
  });
});
