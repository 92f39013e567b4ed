import { expect, test, vi } from "vitest";
import * as z from "zod";
import { apiInProcess } from "../../support/api-in-process/api";
import { databaseInMemory } from "../../support/api-in-process/database";
import { stopClock } from "../../support/clock";
import { validRequest } from "../../support/person";

/* Values that an earlier release of the API left in the database, at Stripe and in people's emails. */

const SETTINGS = {
  HASH_SECRET: "a-golden-secret-of-the-hashes-of-these-tests",
  LINK_SECRET: "a-secret-of-the-links-of-these-tests",
  CONSOLE_WEBHOOK_SECRET: "whsec_bG9jYWwtZGV2ZWxvcG1lbnQtb25seS1uZXZlci1kZXBsb3k=",
  ONE_TRIAL_PER_PERSON: "true",
};
const SIGN_UP = "6f1c9d3e-8a20-4b57-9c14-2d5e7f8a9b01";
const ANOTHER = "0d4b7a52-1c3e-4f60-8b29-7a6c5d4e3f02";
/** URLs of the first release, whose tokens ended with the sign-up. */
const STATUS_URL = "http://localhost:8788/subscription/status/awQqwG8cnT6KIEtXnBQtXn-KmwHwLoMhERb4I9jRdbE";
const VERIFY_EMAIL = "http://localhost:8788/links/verify-email/aypmQG8cnT6KIEtXnBQtXn-KmwHrtLBUOkoAazcR6TA";
const NOT_ME = "http://localhost:8788/links/not-me/aypmQG8cnT6KIEtXnBQtXn-KmwG2zsO8wxQg_9TNu78";

stopClock();

const answers = z.object({ client_secret: z.string(), status_url: z.string() });

/** An API with its requests to Stripe and the receivers, and a visitor who signs up under an ID and enters a card. */
function apiOfThisTime() {
  const sent: { key: string | null; body: string }[] = [];
  const api = apiInProcess({ settings: SETTINGS });
  api.instead.set("", async (_, request) => {
    const { headers, method } = request;
    const key = headers.get("idempotency-key") ?? headers.get("webhook-id");
    if (method === "POST") sent.push({ key, body: await request.clone().text() });
    return undefined;
  });
  async function signUp(id: typeof SIGN_UP | typeof ANOTHER, email: string) {
    const randomUUID = vi.spyOn(crypto, "randomUUID").mockReturnValue(id);
    const headers = { "content-type": "application/json", "idempotency-key": id, "cf-connecting-ip": "192.0.2.1" };
    const body = JSON.stringify({ ...validRequest, email });
    const answer = answers.parse(await (await api.ask("/subscription", { method: "POST", headers, body })).json());
    randomUUID.mockRestore();
    api.model.confirm(answer.client_secret.replace(/_secret_.*/, ""), "a card", false);
    const status: unknown = await (await api.ask(answer.status_url)).json();
    await api.settled();
    return { status };
  }
  const column = (name: string, table: string) =>
    api.rows(`SELECT ${name} FROM ${table} ORDER BY 1`).map((row) => row[name]);
  return { ...api, sent, signUp, column };
}

test("hashes, links and keys equal an earlier release's: links open, and nothing is sent or created twice", async () => {
  const { signUp, ask, settled, sent, column } = apiOfThisTime();
  const trial = { status: "trial", trial_end: "2026-11-27T12:00:00.000Z" };
  expect((await signUp(SIGN_UP, "ada+x@example.com")).status).toEqual(trial);
  expect(await (await ask(STATUS_URL)).json()).toEqual(trial);
  expect(column("hash", "trial_claims")).toEqual([
    "4qo_aYEG5YF72gSCG7Uk3vcIM6igZ7V7kbE3-7kFGEE",
    "7Dr5ml1Cjt4g43scC-m3wa3WVlpDpINirGO81E5dtLs",
    "UVIxGk_Bw_siKzlsf9oznrdJiZS4DWXZymeGhW5_u2Q",
  ]);
  expect((await signUp(ANOTHER, "bob@example.com")).status).toMatchObject({ status: "card_used" });
  const emails = sent.map(({ body }) => body).join();
  for (const link of [VERIFY_EMAIL, NOT_ME]) {
    expect(emails).toContain(link);
    expect((await ask(link)).status).toBe(200);
    await settled();
  }
  expect((await ask(NOT_ME, { method: "POST" })).status).toBe(200);
  await settled();
  expect(column("key", "outbox")).toEqual([
    `account-closed/${SIGN_UP}`,
    `account-created/${SIGN_UP}`,
    "card-used/UVIxGk_Bw_siKzlsf9oznrdJiZS4DWXZymeGhW5_u2Q/2026-11-22/1",
    `email-verified/${SIGN_UP}`,
    `not-me-reported/${SIGN_UP}`,
    `trial-ending/${SIGN_UP}/2026-11-27T12:00:00.000Z`,
    `trial-started/${SIGN_UP}`,
  ]);
  const created = ["customer", "setup-intent", "subscription"].map((made) => `${made}-${SIGN_UP}-0`);
  const told = [`setup-intent-1-${ANOTHER}-0`, `trial-started/${SIGN_UP}`, `account-created/${SIGN_UP}`];
  expect(sent.map(({ key }) => key)).toEqual(expect.arrayContaining([...created, ...told]));
});

test("the migrations leave what the earlier release's Worker needs: the column used_card and the table stripe_events", () => {
  const { rows } = databaseInMemory();
  expect(rows("SELECT name FROM pragma_table_xinfo('sign_ups')")).toContainEqual({ name: "used_card" });
  expect(rows("SELECT name FROM sqlite_master WHERE type = 'table'")).toContainEqual({ name: "stripe_events" });
});
