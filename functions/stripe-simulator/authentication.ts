import { type Context, Hono } from "hono";
import { html } from "hono/html";
import type { StripeContext } from "./api/context";
import { fail, succeed } from "./api/setup-intents";
import { docUrl } from "./errors";
import { parseForm } from "./form";
import type { SetupError, SetupIntent } from "./objects";
import { page } from "./page";

const NOT_AUTHENTICATED: SetupError = {
  type: "invalid_request_error",
  code: "setup_intent_authentication_failure",
  doc_url: docUrl("setup_intent_authentication_failure"),
  message: "We are unable to authenticate your payment method. Please choose a different payment method and try again.",
};

/** A bank's 3-D Secure page, which leads back to the return_url. */
export const authentication = new Hono<StripeContext>();

authentication.get("/:intent/:attempt", (c) => {
  const intent = waitingIntent(c);
  return intent ? c.html(challengePage()) : c.html(overPage(), 404);
});

authentication.post("/:intent/:attempt", async (c) => {
  const intent = waitingIntent(c);
  const returnUrl = intent?.next_action?.redirect_to_url.return_url;
  if (!intent || returnUrl === undefined) return c.html(overPage(), 404);

  const passed = parseForm(await c.req.text()).outcome === "complete";
  if (passed) succeed(intent, c.var);
  else fail(intent, NOT_AUTHENTICATED, c.var);
  return c.redirect(withOutcome(returnUrl, intent, passed), 303);
});

function waitingIntent(c: Context<StripeContext>): SetupIntent | undefined {
  const intent = c.var.store.setupIntent(c.req.param("intent") ?? "");
  const waits = intent?.status === "requires_action" && intent.latest_attempt === c.req.param("attempt");
  return waits ? intent : undefined;
}

function withOutcome(returnUrl: string, intent: SetupIntent, passed: boolean): string {
  const url = new URL(returnUrl);
  url.searchParams.set("setup_intent", intent.id);
  url.searchParams.set("setup_intent_client_secret", intent.client_secret);
  url.searchParams.set("redirect_status", passed ? "succeeded" : "failed");
  return url.href;
}

function challengePage() {
  return page(
    "3D Secure 2 Test Page",
    html`<p>Your bank asks you to confirm that this card is yours. This is a test: choose how it ends.</p>
      <form method="post">
        <button name="outcome" value="complete">Complete authentication</button>
        <button name="outcome" value="fail" class="plain">Fail authentication</button>
      </form>`,
  );
}

function overPage() {
  return page("Nothing to authenticate", html`<p>This authentication is over, or never began.</p>`);
}
