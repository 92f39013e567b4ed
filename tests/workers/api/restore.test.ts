import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCommand } from "../../../tools/operator";
import { newCard } from "../../support/stripe/set-up-card";
import { enterCard, mails, rows, signUp, stripeStateOf } from "../../support/visitors/visitor";
import { openAddress, runScheduled, startStripeSimulator, startSubscriptionApi } from "../../support/workers/workers";

/* The rules of a restore are in tests/unit/api/restore.test.ts. */

const [BEGUN, ERASED, LOST] = ["begun@example.com", "erased@example.com", "lost@example.com"];

test("after a restore of the database a command reconciles it with Stripe, and no email is sent twice", async () => {
  const address = await openAddress();
  const folder = await mkdtemp(join(tmpdir(), "restored-"));
  const [database, backup] = [join(folder, "d1"), join(folder, "backup")];
  const stripe = await startStripeSimulator({ webhookUrl: `${address.url}/webhooks/stripe` });
  const start = (vars = {}) => startSubscriptionApi({ simulatorUrl: stripe.url, address, persist: folder, vars });
  let api = await start();
  onTestFinished(async () => {
    await Promise.all([api.dispose(), stripe.dispose()]);
    await rm(folder, { recursive: true });
  });
  const begin = async (email: string) => (await signUp(api, { email })).clientSecret;
  const startTrial = async (email: string, clientSecret?: string) => {
    await enterCard(stripe.url, clientSecret, newCard());
    await expect.poll(() => mails(stripe, email)).toHaveLength(1);
  };

  await startTrial(ERASED, await begin(ERASED));
  const pending = await begin(BEGUN);
  await api.dispose();
  await cp(database, backup, { recursive: true });
  const restoredTo = new Date();
  api = await start();
  expect(await runCommand(["erase", "--email", ERASED, "--url", api.url])).toEqual({ erased: 1, customers: 1 });
  await startTrial(BEGUN, pending);
  await startTrial(LOST, await begin(LOST));
  const [lost] = await rows(api, "SELECT * FROM sign_ups WHERE email = ?", LOST);
  await api.dispose();
  const stoppedAt = new Date();
  await rm(database, { recursive: true });
  await cp(backup, database, { recursive: true });

  const moments = ["--restored-to", restoredTo.toISOString(), "--stopped-at", stoppedAt.toISOString()];
  const restore = () => runCommand(["after-restore", ...moments, "--url", api.url]);
  api = await start({ MAINTENANCE: "true" });
  const missing = [{ sign_up_id: lost?.id, customer_id: lost?.stripe_customer_id, had_trial: true }];
  expect(await restore()).toEqual({ deleted_again: 1, emails_held_back: 1, checked_again: 2, missing });
  expect(await restore()).toEqual({ deleted_again: 0, emails_held_back: 0, checked_again: 1, missing });
  await api.dispose();

  api = await start();
  await expect(restore()).rejects.toThrow("Set MAINTENANCE to true first");
  await runScheduled(api);
  const found = () => rows(api, "SELECT email, status FROM sign_ups");
  await expect.poll(found).toEqual([{ email: BEGUN, status: "trialing" }]);
  const messages = () => rows(api, "SELECT state FROM outbox WHERE kind <> 'trial-ending' ORDER BY state");
  await expect.poll(messages).toEqual([{ state: "dropped" }, { state: "sent" }]);
  expect((await stripeStateOf(stripe, BEGUN)).subscriptions).toHaveLength(1);
});
