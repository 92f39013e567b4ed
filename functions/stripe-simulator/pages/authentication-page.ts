import { type Context, Hono } from "hono";
import { html } from "hono/html";
import { docUrl, type StripeErrorBody } from "../api/errors";
import type { StripeContext } from "../api/operation-context";
import { fail, succeed } from "../api/resources/setup-intents";
import { withOutcome } from "../elements/outcome-url";
import { parseForm } from "../schema/form";
import type { SetupIntent } from "../store/objects";
import { page } from "./page-layout";

const NOT_AUTHENTICATED: StripeErrorBody = {
  type: "invalid_request_error",
  code: "setup_intent_authentication_failure",
  doc_url: docUrl("setup_intent_authentication_failure"),
  message: "We are unable to authenticate your payment method. Please choose a different payment method and try again.",
};

/** The bank's 3-D Secure page: alone, leading back to the return_url, or in Stripe.js's dialog. */
export const authentication = new Hono<StripeContext>();

authentication.get("/:intent/:attempt", (c) => {
  const intent = waitingIntent(c);
  return intent ? c.html(challengePage()) : c.html(overPage(), 404);
});

authentication.post("/:intent/:attempt", async (c) => {
  const intent = waitingIntent(c);
  if (!intent) return c.html(overPage(), 404);
  const passed = parseForm(await c.req.text()).outcome === "complete";
  const effects = c.var.account.effects();
  if (passed) succeed(intent, effects);
  else fail(intent, NOT_AUTHENTICATED, effects);
  const returnUrl = intent.next_action?.redirect_to_url?.return_url;
  if (returnUrl) return c.redirect(withOutcome(returnUrl, intent, passed), 303);
  return c.html(page("Done", html`<script>parent.postMessage("stripe-simulator:authenticated", "*");</script>`));
});

/** Stripe.js's dialog sends the client secret: it does not know the attempt. */
function waitingIntent(c: Context<StripeContext>): SetupIntent | undefined {
  const intent = c.var.store.find("SetupIntent", c.req.param("intent") ?? "");
  const proof = c.req.param("attempt");
  const isKnown = proof === intent?.latest_attempt || proof === intent?.client_secret;
  return intent?.status === "requires_action" && isKnown ? intent : undefined;
}

function challengePage() {
  return page(
    "3D Secure 2 Test Page",
    html`<p>Your bank asks you to confirm that this card is yours. This is a test: choose how it ends.</p>
      <form method="post" class="bank">
        <button name="outcome" value="complete">Complete authentication</button>
        <button name="outcome" value="fail" class="plain">Fail authentication</button>
      </form>`,
  );
}

function overPage() {
  return page("Nothing to authenticate", html`<p>This authentication is over, or never began.</p>`);
}
