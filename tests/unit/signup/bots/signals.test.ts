import { expect, test } from "vitest";
import { HONEYPOT_FIELD } from "../../../../app/signup/form-schema";
import { isConfirmedTooOften, signalsOf } from "../../../../app/signup/server/bots/signals.server";
import { contextWith, countingLimiter, recordedLog } from "../../../support/site-in-process/pipeline-context";
import { NOW, stopClock } from "../../../support/site-in-process/site-context";

stopClock();

/** A context whose limiters count, and let through as many of each key as they are told. */
const contextOf = (limits: { nonce: number; network: number }) =>
  contextWith({
    log: recordedLog().log,
    configuration: {
      FORM_NONCE_RATE_LIMIT: countingLimiter(limits.nonce),
      SIGNUP_NETWORK_RATE_LIMIT: countingLimiter(limits.network),
    },
  });

const MANY = { nonce: 9, network: 9 };
const issued = { id: "a-form", issuedAt: NOW - 60_000 };

test.each<[string, Record<string, string>, { id: string; issuedAt: number } | undefined, string[]]>([
  ["a person's", {}, issued, []],
  ["one filled in within two seconds", {}, { ...issued, issuedAt: NOW - 1_999 }, ["fast"]],
  ["one filled in after two seconds", {}, { ...issued, issuedAt: NOW - 2_000 }, []],
  ["one without a nonce", {}, undefined, ["no_nonce"]],
  ["one whose honeypot is filled in", { [HONEYPOT_FIELD]: "x" }, issued, ["honeypot"]],
  ["one whose honeypot is empty", { [HONEYPOT_FIELD]: "" }, issued, []],
])("a form like %s gives its expected signals", async (_, form, nonce, signals) => {
  expect(await signalsOf(form, nonce, contextOf(MANY))).toEqual(signals);
});

test("a rate limit gives one signal when exceeded, and another at twice the limit", async () => {
  const context = contextOf({ ...MANY, nonce: 2 });
  const seen: string[][] = [];
  for (let form = 0; form < 5; form += 1) seen.push(await signalsOf({}, issued, context));
  expect(seen).toEqual([[], [], ["repeated"], ["repeated"], ["repeated", "repeated_twice"]]);
  const crowd = contextOf({ ...MANY, network: 0 });
  expect(await signalsOf({}, issued, crowd)).toEqual(["network", "network_twice"]);
});

test("confirmed forms count separately against each limit", async () => {
  for (const limit of ["nonce", "network"]) {
    const context = contextOf({ ...MANY, [limit]: 1 });
    await signalsOf({}, issued, context);
    expect([await isConfirmedTooOften(issued, context), await isConfirmedTooOften(issued, context)]).toEqual([
      false,
      true,
    ]);
  }
});
