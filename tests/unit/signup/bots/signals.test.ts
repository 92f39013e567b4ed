import type { AppLoadContext } from "@remix-run/cloudflare";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { isConfirmedTooOften, signalsOf } from "../../../../app/signup/bots/signals.server";
import { DECOY_FIELD } from "../../../../app/signup/form/form-schema";

const NOW = 1_800_000_000_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A context whose limiters count, and let through as many of each key as they are told. */
function contextOf(limits: { nonce: number; network: number; total: number }, ip = "192.0.2.7") {
  const counted: string[] = [];
  const limiter = (name: string, limit: number) => ({
    async limit({ key }: { key: string }) {
      counted.push(`${name}: ${key}`);
      return { success: counted.filter((one) => one === `${name}: ${key}`).length <= limit };
    },
  });
  const context = z.custom<AppLoadContext>().parse({
    ip,
    log: { error: () => {} },
    configuration: {
      FORM_NONCE_RATE_LIMIT: limiter("nonce", limits.nonce),
      SIGNUP_NETWORK_RATE_LIMIT: limiter("network", limits.network),
      SIGNUP_TOTAL_RATE_LIMIT: limiter("total", limits.total),
    },
  });
  return { context, counted };
}

const MANY = { nonce: 9, network: 9, total: 9 };
const issued = { id: "a-form", issuedAt: NOW - 60_000 };

test.each<[string, Record<string, string>, { id: string; issuedAt: number } | undefined, string[]]>([
  ["a person's", {}, issued, []],
  ["one filled in within two seconds", {}, { ...issued, issuedAt: NOW - 1_999 }, ["fast"]],
  ["one filled in after two seconds", {}, { ...issued, issuedAt: NOW - 2_000 }, []],
  ["one without a nonce", {}, undefined, ["no_nonce"]],
  ["one whose decoy is filled in", { [DECOY_FIELD]: "x" }, issued, ["decoy"]],
  ["one whose decoy is empty", { [DECOY_FIELD]: "" }, issued, []],
])("a form like %s has its signals", async (_, form, nonce, signals) => {
  expect(await signalsOf(form, nonce, contextOf(MANY).context)).toEqual(signals);
});

test("forms are counted by their nonce, by their network and all together", async () => {
  const { context, counted } = contextOf(MANY);
  await signalsOf({}, issued, context);
  await signalsOf({}, undefined, context);
  expect(counted.sort()).toEqual([
    "network: 192.0.2.0/24",
    "network: 192.0.2.0/24",
    "nonce: a-form",
    "nonce: none",
    "total: all",
    "total: all",
  ]);
});

test("a limit gives one signal beyond it, and another one beyond twice as many", async () => {
  const { context } = contextOf({ ...MANY, nonce: 2 });
  const seen: string[][] = [];
  for (let form = 0; form < 5; form += 1) seen.push(await signalsOf({}, issued, context));
  expect(seen).toEqual([[], [], ["repeated"], ["repeated"], ["repeated", "repeated_twice"]]);
  const crowd = contextOf({ ...MANY, network: 0, total: 0 });
  expect(await signalsOf({}, issued, crowd.context)).toEqual(["network", "network_twice", "total", "total_twice"]);
});

test("confirmed forms are counted by themselves, by each of the limits", async () => {
  for (const limit of ["nonce", "network", "total"]) {
    const { context, counted } = contextOf({ ...MANY, [limit]: 1 });
    await signalsOf({}, issued, context);
    expect([await isConfirmedTooOften(issued, context), await isConfirmedTooOften(issued, context)]).toEqual([
      false,
      true,
    ]);
    expect(counted.filter((key) => key.endsWith(" confirmed"))).toHaveLength(6);
  }
});
