import { onTestFailed, onTestFinished, test, vi } from "vitest";
import { type Backend, runSequence } from "../../simulation/sign-up-model";
import { apiInProcess } from "../../support/api-in-process/api";
import { look, post, SITE_URL, siteContext } from "../../support/site-in-process/site-context";
import { eventOf, sign } from "../../support/stripe-events";

/** The site's loader and action, the API and Stripe, whose webhooks arrive at once. */
function backend(): Backend {
  const told: string[] = [];
  let isLost = false;
  async function send(url: string, init: RequestInit) {
    const response = await api.ask(url, init, "site");
    await deliver();
    if (isLost && init.method === "POST") throw new TypeError("fetch failed");
    return response;
  }
  const site = siteContext({ SUBSCRIPTION_API: { fetch: send } });
  // The API's `fetch` takes the place of the site's: both ask the same Stripe.
  const api = apiInProcess({ tell: (id, type, about) => void told.push(eventOf(type, about, id)) });
  async function deliver(): Promise<void> {
    for (let body = told.shift(); body; body = told.shift())
      await api.ask("/webhooks/stripe", { method: "POST", body, headers: { "stripe-signature": sign(body) } });
    await api.settled();
  }
  return {
    async ask(path, headers, form) {
      const posted = form && (await post(site, form, { path, headers }));
      // Remix renders the page of a post with its loader's data, or redirects where that does.
      const opened = posted?.reply || !posted ? await look(site, { path, headers }) : undefined;
      // The pipeline's part, outside the page cache.
      const nonce = form ? undefined : site.sessions.missingNonce(new Request(SITE_URL, { headers }));
      const cookies = [posted, opened].flatMap((answer) => answer?.headers.getSetCookie() ?? []);
      const { sentTo, step } = opened ?? { ...posted, step: undefined };
      return { cookies: [...cookies, nonce ?? []].flat(), sentTo, step, reply: posted?.reply };
    },
    rows: api.rows,
    subscriptionsOf(email) {
      const customers = api.model.all("customer").filter((customer) => customer.email === email);
      return customers.flatMap(({ id }) => api.model.all("subscription", id)).length;
    },
    async enterCard(clientSecret, works) {
      const id = clientSecret.split("_secret_")[0] ?? "";
      const isOpen = api.model.get(id)?.status === "requires_payment_method";
      api.model.confirm(id, crypto.randomUUID(), !works);
      await deliver();
      return isOpen;
    },
    loseAnswers(lost) {
      isLost = lost;
    },
    async wait(hours) {
      vi.setSystemTime(Date.now() + hours * 60 * 60 * 1000);
      await api.runScheduled();
      await deliver();
    },
  };
}

/** Before a release, `npm run test:long` sets more. */
const { SEED = "101", SEQUENCES = "30" } = process.env;

test("every page is true, every email address has one trial at most, and every open page can be finished", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
  const way: string[] = [];
  onTestFailed(() => void process.stderr.write(way.join("\n")));
  onTestFinished(() => void vi.useRealTimers());
  for (let seed = Number(SEED); seed < Number(SEED) + Number(SEQUENCES); seed += 1)
    await runSequence(backend(), seed, way);
}, 600_000);
