import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCommand } from "../../../tools/operator";
import {
  accountWebhooks,
  enterCard,
  mails,
  newCard,
  rows,
  signUp,
  stripeAt,
  stripeStateOf,
} from "../../support/visitors/visitor";
import { openAddress } from "../../support/workers/address";
import { runScheduled, startStripeSimulator, startSubscriptionApi } from "../../support/workers/workers";

test("after a restore of the database a command reconciles it with Stripe, and no email is sent twice", async () => {
  const address = await openAddress();
  const folder = await mkdtemp(join(tmpdir(), "restored-"));
  const [database, backup] = [join(folder, "d1"), join(folder, "backup")];
  const stripe = await startStripeSimulator({ webhookUrl: `${address.url}/webhooks/stripe` });
  const start = (vars = {}) => startSubscriptionApi({ simulatorUrl: stripe.url, address, persist: database, vars });
  let api = await start();
  onTestFinished(async () => {
    await Promise.all([api.dispose(), stripe.dispose()]);
    await rm(folder, { recursive: true });
  });

  const begin = async (email: string) => (await signUp(api, { email })).clientSecret;
  const statusOf = async (email: string) =>
    (await rows(api, "SELECT status FROM sign_ups WHERE email = ?", email))[0]?.status;
  const startTrial = async (email: string, clientSecret?: string) => {
    await enterCard(stripe.url, clientSecret, newCard());
    await expect.poll(() => mails(stripe, email)).toHaveLength(1);
    await expect.poll(() => accountWebhooks(stripe, email)).toHaveLength(1);
  };

  await startTrial("canceled@example.com", await begin("canceled@example.com"));
  await startTrial("erased@example.com", await begin("erased@example.com"));
  const pending = await begin("begun@example.com");
  // A reminder that is due after the backup, and goes out before the restore.
  const reminder = "kind = 'trial-ending' AND sign_up_id = (SELECT id FROM sign_ups WHERE email LIKE 'canceled%')";
  await rows(api, `UPDATE outbox SET next_attempt_at = strftime('%Y-%m-%dT%H:%M:%fZ') WHERE ${reminder}`);
  await api.dispose();
  await cp(database, backup, { recursive: true });
  const restoredTo = new Date();
  api = await start();

  const { subscriptions } = await stripeStateOf(stripe, "canceled@example.com");
  await stripeAt(stripe).subscriptions.cancel(String(subscriptions[0]?.id));
  await expect.poll(() => statusOf("canceled@example.com")).toBe("canceled");
  expect(await runCommand(["erase", "--email", "erased@example.com", "--url", api.url])).toMatchObject({ erased: 1 });
  await startTrial("begun@example.com", pending);
  await startTrial("lost@example.com", await begin("lost@example.com"));
  const [lost] = await rows(api, "SELECT * FROM sign_ups WHERE email = 'lost@example.com'");
  await api.dispose();
  const stoppedAt = new Date();
  await rm(database, { recursive: true });
  await cp(backup, database, { recursive: true });

  const moments = ["--restored-to", restoredTo.toISOString(), "--stopped-at", stoppedAt.toISOString()];
  const restore = () => runCommand(["after-restore", ...moments, "--url", api.url]);
  api = await start({ MAINTENANCE: "true" });
  expect(await signUp(api)).toMatchObject({ status: 503 });
  expect(await (await fetch(`${api.url}/health`)).json()).toMatchObject({ keys: ["MAINTENANCE"] });
  await runScheduled(api);
  const report = { deleted_again: 1, emails_held_back: 2, checked_again: 3 };
  const missing = [{ sign_up_id: lost?.id, customer_id: lost?.stripe_customer_id, had_trial: true }];
  expect(await restore()).toEqual({ ...report, missing });
  expect(await restore()).toEqual({ ...report, missing, deleted_again: 0, emails_held_back: 0, checked_again: 2 });
  await api.dispose();

  api = await start();
  await expect(restore()).rejects.toThrow("Set MAINTENANCE to true first");
  await runScheduled(api);
  await expect.poll(() => statusOf("begun@example.com")).toBe("trialing");
  expect(await statusOf("canceled@example.com")).toBe("canceled");
  expect(await statusOf("erased@example.com")).toBeUndefined();
  const due = "SELECT key FROM outbox WHERE state = 'due' AND kind <> 'trial-ending'";
  await expect.poll(() => rows(api, due)).toEqual([]);
  const held = "SELECT kind FROM outbox WHERE drop_reason = 'restored' ORDER BY kind";
  expect(await rows(api, held)).toEqual([{ kind: "trial-ending" }, { kind: "trial-started" }]);
  expect((await stripeStateOf(stripe, "begun@example.com")).subscriptions).toHaveLength(1);
});
