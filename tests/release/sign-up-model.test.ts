import { fetch, type Request } from "miniflare";
import { decode } from "turbo-stream";
import { afterAll, onTestFailed, test } from "vitest";
import * as z from "zod";
import type { SignupReply, SignupStep } from "../../app/signup/steps";
import { runSequence } from "../simulation/sign-up-model";
import type { Backend } from "../simulation/site-backend";
import { deliver, eventOf } from "../support/stripe-events";
import { siteVisitor } from "../support/visitors/site-visitor";
import { varsFor } from "../support/visitors/visited-site";
import { enterCard, newCard, rows, stripeAt, stripeStateOf } from "../support/visitors/visitor";
import { startSite, startStripeSimulator, startSubscriptionApi } from "../support/workers/workers";

/* Sequences of the sign-up's model through the built Workers, by browsers without scripts. */

let isLost = false;
async function outboundService(request: Request) {
  const response = await fetch(request);
  if (isLost && request.method === "POST") throw new Error("The answer is lost");
  return response;
}
const stripe = await startStripeSimulator();
const api = await startSubscriptionApi({ simulatorUrl: stripe.url });
const site = await startSite({ vars: varsFor(api, stripe), miniflare: { outboundService } });
afterAll(() => Promise.all([site.dispose(), api.dispose(), stripe.dispose()]));
const visitor = siteVisitor(site);

const ROUTE = "routes/subscription";
const data = z.object({
  loaderData: z.object({ [ROUTE]: z.custom<SignupStep>() }),
  actionData: z.nullish(z.object({ [ROUTE]: z.custom<SignupReply>() })),
});

/** The data that a page's scripts would begin with. */
async function dataIn(html: string) {
  const [, encoded = '""'] = /,("(?:[^"\\]|\\.)*")\)<\/script>/.exec(html) ?? [];
  const { value } = await decode(new Blob([JSON.parse(encoded)]).stream());
  return data.parse(value);
}

const backend: Backend = {
  async ask(path, headers, form) {
    const body = form && new URLSearchParams(form).toString();
    const answer = await (body === undefined ? visitor.get(path, headers) : visitor.post(body, headers, path));
    const cookies = answer.headers.getSetCookie();
    const sentTo = answer.headers.get("Location");
    if (sentTo) return { cookies, sentTo };
    const { loaderData, actionData } = await dataIn(answer.body);
    return { cookies, step: loaderData[ROUTE], reply: actionData?.[ROUTE] };
  },
  rows: (...query) => rows(api, ...query),
  async chargesOf(email) {
    const { subscriptions } = await stripeStateOf(stripe, email);
    return subscriptions.map(({ items }) => items.data[0]?.price.unit_amount ?? undefined);
  },
  async enterCard(clientSecret, works) {
    const retrieve = () => stripeAt(stripe).setupIntents.retrieve(clientSecret.split("_secret_")[0] ?? "");
    const { status } = await retrieve();
    await enterCard(stripe.url, clientSecret, works ? newCard() : "4000000000000002");
    const type = `setup_intent.${works ? "succeeded" : "setup_failed"}`;
    await deliver(api, eventOf(type, await retrieve()));
    return status === "requires_payment_method";
  },
  loseAnswers(lost) {
    isLost = lost;
  },
};

test("twenty sequences of random visitors are true over HTTP too", async () => {
  const way: string[] = [];
  onTestFailed(() => void process.stderr.write(way.join("\n")));
  for (let seed = 101; seed < 121; seed += 1) await runSequence(backend, seed, way);
});
