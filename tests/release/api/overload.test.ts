import { beforeAll, expect, test } from "vitest";
import { someone } from "../../support/visitors/senders";
import { rows, times, validRequest } from "../../support/visitors/visitor";
import { type RunningWorker, startBackend } from "../../support/workers/workers";

/** Fifteen passwords to hash, on a busy machine. */
const CROWD_WITHIN_MS = 180_000;

let api: RunningWorker;
beforeAll(async () => {
  const backend = await startBackend();
  ({ api } = backend);
  return backend.dispose;
});

function post(email: string, init: RequestInit = {}) {
  return fetch(`${api.url}/subscription`, {
    method: "POST",
    headers: { ...someone(), "content-type": "application/json", connection: "close" },
    body: JSON.stringify({ ...validRequest, email }),
    ...init,
  });
}

test(
  "the API finishes sign-ups and keeps answering after many clients disconnect [H1]",
  async () => {
    const gone = new AbortController();
    const { signal } = gone;
    const crowd = times(15, (index) => post(`gone-${index}@example.com`, { signal }).catch(() => undefined));
    await expect.poll(() => rows(api, "SELECT 1 FROM sign_ups WHERE email LIKE 'gone-%'")).not.toEqual([]);
    gone.abort();
    await crowd;
    expect((await post("stayed@example.com")).status).toBe(200);
    const finished = "SELECT 1 FROM sign_ups WHERE email LIKE 'gone-%' AND stripe_setup_intent_id LIKE 'seti_%'";
    await expect.poll(() => rows(api, finished), { timeout: CROWD_WITHIN_MS }).toHaveLength(15);
  },
  CROWD_WITHIN_MS,
);
