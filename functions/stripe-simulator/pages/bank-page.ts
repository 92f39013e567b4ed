import { Hono } from "hono";
import { html } from "hono/html";
import { parseForm } from "../api/parameters";
import type { StripeContext } from "../api/router";
import { finishAuthentication } from "../resources/setup-intents";
import type { SetupIntent } from "../store/objects";
import { page } from "./layout";

/** The bank's 3-D Secure page: a full page that leads back to the return_url, or in Stripe.js's dialog. */
export const bank = new Hono<StripeContext>();

bank.on(["GET", "POST"], "/:intent/:attempt", async (c) => {
  const intent = c.var.account.store.find("SetupIntent", c.req.param("intent"));
  // Stripe.js's dialog sends the client secret, because it does not know the attempt's ID.
  const isKnown = [intent?.latest_attempt, intent?.client_secret].includes(c.req.param("attempt"));
  if (intent?.status !== "requires_action" || !isKnown) {
    return c.html(page("Nothing to authenticate", html`<p>This authentication is over or never started.</p>`), 404);
  }
  if (c.req.method === "GET") return c.html(page("3D Secure 2 Test Page", CHALLENGE));
  const passed = parseForm(await c.req.text()).outcome === "complete";
  const finished = finishAuthentication(intent, passed, c.var.account.effects());
  const returnUrl = intent.next_action?.redirect_to_url?.return_url;
  if (returnUrl) return c.redirect(withOutcome(returnUrl, finished), 303);
  return c.html(page("Done", html`<script>parent.postMessage("stripe-simulator:authenticated", "*");</script>`));
});

const CHALLENGE = html`<p>Your bank asks you to confirm that this card is yours. This is a test: choose how it ends.</p>
  <form method="post">
    <button name="outcome" value="complete">Complete authentication</button>
    <button name="outcome" value="fail">Fail authentication</button>
  </form>`;

/** https://docs.stripe.com/api/setup_intents/confirm#confirm_setup_intent-return_url */
function withOutcome(returnUrl: string, { id, client_secret, status }: SetupIntent): string {
  const url = new URL(returnUrl);
  const outcome = { setup_intent: id, setup_intent_client_secret: client_secret ?? "" };
  const added = new URLSearchParams({ ...outcome, redirect_status: status === "succeeded" ? "succeeded" : "failed" });
  url.search = `${url.search ? `${url.search}&` : ""}${added}`;
  return url.href;
}
