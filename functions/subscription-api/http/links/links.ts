import { type Context, Hono } from "hono";
import { html } from "hono/html";
import { describeError } from "../../../../app/shared/describe-error";
import { log } from "../../log";
import { reportNotMe } from "../../sign-ups/ending/report-not-me";
import type { SignUp } from "../../sign-ups/sign-up";
import type { ApiContext } from "../api-context";
import { neitherKeptNorFound } from "../html-page";
import { linkPage, linkPageHeaders } from "./link-page";

export const linkPages = new Hono<ApiContext>();

linkPages.use(linkPageHeaders, neitherKeptNorFound);

linkPages.onError((error, c) => {
  log("error", "request_failed", describeError(error));
  const body = html`<p>Open the link in the email again in a minute.</p>`;
  return c.html(linkPage(c.var.services.mail.sender, "Something went wrong", body), 503, { "retry-after": "60" });
});

/** One click: opening the page confirms the address (docs/subscription-api.md weighs it against a button). */
linkPages.get("/verify-email/:token", async (c) => {
  const { services, dispatchAfterResponse } = c.var;
  const signUpId = await services.links.read("verify-email", c.req.param("token"));
  // Link scanners send HEAD.
  if (c.req.method === "HEAD") return c.body(null);
  const signUp = signUpId === undefined ? null : await services.endings.verifyEmail(signUpId);
  if (!signUp) return notFound(c);
  if (signUp.end_reason !== null) return ended(c, signUp);
  dispatchAfterResponse();
  const { sender } = services.mail;
  const body = html`<p>Thank you. You can close this page, or log in with the password you chose.</p>
    <p><a class="button" href="${sender.consoleUrl}">Open the customer console</a></p>`;
  return c.html(linkPage(sender, "Your email address is confirmed", body));
});

/** Asks before it acts, because email scanners open links. */
linkPages.get("/not-me/:token", async (c) => {
  const signUp = await signUpOfLink(c);
  if (!signUp) return notFound(c);
  if (signUp.end_reason !== null) return ended(c, signUp);
  const { sender } = c.var.services.mail;
  const body = html`<p>
      Someone signed up for ${sender.companyName} with your email address. If it wasn’t you, end the sign-up here.
    </p>
    <p>The trial and subscription end immediately, the card is removed, and there are no further charges.</p>
    ${afterCharge(c, signUp)}
    <form method="post"><button type="submit">End this sign-up</button></form>
    <p>If it was you, close this page. Nothing changes.</p>`;
  return c.html(linkPage(sender, "Wasn’t you?", body));
});

linkPages.post("/not-me/:token", async (c) => {
  const signUp = await signUpOfLink(c);
  if (!signUp) return notFound(c);
  await reportNotMe(signUp, c.var.services);
  c.var.dispatchAfterResponse();
  return ended(c, signUp);
});

async function signUpOfLink(c: Context<ApiContext>): Promise<SignUp | null> {
  const { links, signUps } = c.var.services;
  const signUpId = await links.read("not-me", c.req.param("token") ?? "");
  return signUpId === undefined ? null : signUps.find(signUpId);
}

/** Stripe is asked later whether there was a charge. */
function afterCharge(c: Context<ApiContext>, { trial_end }: SignUp) {
  if (trial_end === null || Date.parse(trial_end) > Date.now()) return "";
  return c.var.services.refundsReported
    ? html`<p>If the card was charged, we refund the charge and send you an email.</p>`
    : html`<p>If the card was charged, our support team looks at the charge and writes to you.</p>`;
}

function ended(c: Context<ApiContext>, signUp: SignUp) {
  const body = html`<p>The subscription is canceled and the card removed. There are no further charges.</p>
    ${afterCharge(c, signUp)}
    <p>You can use your email address to sign up at any time.</p>`;
  return c.html(linkPage(c.var.services.mail.sender, "This sign-up has ended", body));
}

function notFound(c: Context<ApiContext>) {
  log("warn", "link_refused");
  const body = html`<p>It may be incomplete or more than 30 days old, or the sign-up no longer exists.</p>`;
  return c.html(linkPage(c.var.services.mail.sender, "This link doesn’t work", body), 404);
}
