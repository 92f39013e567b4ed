import { createHash } from "node:crypto";
import { type Context, Hono } from "hono";
import { html, raw } from "hono/html";
import { secureHeaders } from "hono/secure-headers";
import { company } from "../../../app/company";
import { counted } from "../../../app/contract/counted";
import { utcDay } from "../../../app/contract/dates";
import { log } from "../log";
import { type SignUp, wasEnded } from "../sign-up";
import { confirmEmail } from "../sign-ups/confirm-email";
import { endByNotMe, type NotMe, signUpsOfNotMe } from "../sign-ups/not-me";
import { LINK_DAYS, type LinkPurpose } from "../signed-links";
import type { ApiContext } from "./api-context";
import { logUncaught } from "./problem";

const STYLE = `
:root { color-scheme: light dark; --page: #f3f4f9; --card: #fff; --ink: #10132b; --line: #dcdfea; --link: #2b3bdb; --onLink: #fff; --danger: #b3172f; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0c0e1d; --card: #171b36; --ink: #f2f3fc; --line: #2b3056; --link: #a3aeff; --onLink: #0c0e1d; --danger: #ff9dab; }
}
body { margin: 0; padding: 24px 16px; background: var(--page); color: var(--ink); font: 18px/1.6 system-ui, Arial, sans-serif; overflow-wrap: anywhere; }
main { max-width: 560px; margin: 0 auto; }
.home { font-size: 20px; font-weight: bold; }
.card { margin: 20px 0; padding: clamp(20px, 6vw, 40px); background: var(--card); border: 1px solid var(--line); border-radius: 16px; }
h1 { margin: 0 0 16px; font-size: clamp(24px, 7vw, 32px); line-height: 1.2; text-wrap: balance; }
p, ul, form { margin: 0 0 16px; }
.card > :last-child { margin-bottom: 0; }
a { color: var(--link); }
button, .button { display: inline-block; padding: 12px 20px; border: 1px solid transparent; border-radius: 10px; background: var(--link); color: var(--onLink); font: inherit; font-weight: bold; text-decoration: none; cursor: pointer; }
.end { background: var(--danger); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 3px; }
`;

const pageHeaders = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: [`'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
  referrerPolicy: "no-referrer",
  strictTransportSecurity: false,
  xFrameOptions: "DENY",
});
export const linkPages = new Hono<ApiContext>();

linkPages.use(pageHeaders, async (c, next) => {
  await next();
  c.header("cache-control", "no-store");
  c.header("x-robots-tag", "noindex");
});

linkPages.onError((error, c) => {
  logUncaught(error);
  const body = html`<p>Open the link in the email again in a minute.</p>`;
  return c.html(page(c, "Something went wrong", body), 503, { "retry-after": "60" });
});

// A GET changes nothing, because email scanners open links and send no form. Each page has a button, which posts.

linkPages.get("/verify-email/:token", async (c) => {
  const signUp = await signUpOfLink(c, "verify-email");
  if (!signUp) return notFound(c);
  if (wasEnded(signUp)) return ended(c, { ended: [signUp], confirmed: [] });
  if (signUp.email_verified_at !== null) return confirmed(c);
  const body = html`<p>
      If you signed up for ${c.var.services.mail.sender.companyName} with this email address, confirm it here.
    </p>
    <form method="post"><button type="submit">Confirm my email address</button></form>
    <p>If it wasn’t you, close this page and use “This wasn’t me” in the email.</p>`;
  return c.html(page(c, "Is this your email address?", body));
});

linkPages.post("/verify-email/:token", async (c) => {
  const { services, dispatchAfterResponse } = c.var;
  const signUpId = services.links.read("verify-email", c.req.param("token"));
  const signUp = signUpId === undefined ? null : await services.signUps.change(signUpId, confirmEmail);
  if (!signUp) return notFound(c);
  if (wasEnded(signUp)) return ended(c, { ended: [signUp], confirmed: [] });
  dispatchAfterResponse();
  return confirmed(c);
});

linkPages.get("/not-me/:token", async (c) => {
  const signUp = await signUpOfLink(c, "not-me");
  return signUp ? notMe(c, signUp) : notFound(c);
});

linkPages.post("/not-me/:token", async (c) => {
  const { services, dispatchAfterResponse } = c.var;
  const signUp = await signUpOfLink(c, "not-me");
  if (!signUp) return notFound(c);
  await endByNotMe(signUp, services);
  dispatchAfterResponse();
  return notMe(c, (await services.signUps.find(signUp.id)) ?? signUp);
});

async function notMe(c: Context<ApiContext>, signUp: SignUp) {
  const found = await signUpsOfNotMe(signUp, c.var.services);
  const { open } = found;
  if (open.length === 0) return ended(c, found);
  const body = html`<p>
      Someone signed up for ${c.var.services.mail.sender.companyName} with your email address. If it wasn’t you, end
      ${these(open)} here:
    </p>
    ${await listOf(c, open)}
    <p>Any trial and subscription end immediately, every card is removed, and there are no further charges.</p>
    ${afterCharge(open)}
    <form method="post"><button class="end" type="submit">End ${these(open)}</button></form>
    <p>If it was you, close this page. Nothing changes.</p>`;
  return c.html(page(c, "Wasn’t you?", body));
}

async function signUpOfLink(c: Context<ApiContext>, purpose: LinkPurpose): Promise<SignUp | null> {
  const { links, signUps } = c.var.services;
  const signUpId = links.read(purpose, c.req.param("token") ?? "");
  return signUpId === undefined ? null : signUps.find(signUpId);
}

const these = (signUps: SignUp[]) => (signUps.length > 1 ? "these sign-ups" : "this sign-up");

async function listOf({ var: { services } }: Context<ApiContext>, signUps: SignUp[]) {
  const plans = new Map((await services.packages.all()).map(({ id, name }) => [id, name]));
  const items = signUps.map(({ package_id, created_at }) => {
    return html`<li>${plans.get(package_id ?? "") ?? "No plan yet"}, signed up on ${utcDay(created_at)}</li>`;
  });
  return html`<ul>${items}</ul>`;
}

/** Shown when a trial is over. The page does not know if Stripe has charged the card. */
function afterCharge(signUps: SignUp[]) {
  const isOver = ({ trial_end }: SignUp) => trial_end !== null && Date.parse(trial_end) <= Date.now();
  if (!signUps.some(isOver)) return "";
  return html`<p>If the card was charged, our support team will look at the charge and write to you.</p>`;
}

function confirmed(c: Context<ApiContext>) {
  const body = html`<p>Thank you. You can close this page, or log in with the password you chose.</p>
    <p><a class="button" href="${c.var.services.mail.sender.consoleUrl}">Open the customer console</a></p>`;
  return c.html(page(c, "Your email address is confirmed", body));
}

async function ended(c: Context<ApiContext>, { ended, confirmed }: Omit<NotMe, "open">) {
  const { signUps, trialHashes } = c.var.services;
  const hasHadTrial = await signUps.hasHadTrial(trialHashes.ofEmail(ended[0]?.email ?? ""));
  const goesOn = html`<p>
      Not ended, because your email address was confirmed for it. To end it, use “This wasn’t me” in its own email, or
      write to us:
    </p>
    ${await listOf(c, confirmed)}`;
  const body = html`${await listOf(c, ended)}
    <p>Any subscription is canceled and every card removed. There are no further charges for ${these(ended)}.</p>
    ${afterCharge(ended)} ${confirmed.length > 0 ? goesOn : ""}
    ${hasHadTrial ? "" : html`<p>You can use your email address to sign up at any time.</p>`}`;
  return c.html(page(c, ended.length > 1 ? "These sign-ups have ended" : "This sign-up has ended", body));
}

function notFound(c: Context<ApiContext>) {
  log("warn", "link_refused");
  const body = html`<p>It may be incomplete or more than ${counted(LINK_DAYS, "day")} old, or the sign-up no longer exists.</p>`;
  return c.html(page(c, "This link doesn’t work", body), 404);
}

function page({ var: { services } }: Context<ApiContext>, heading: string, body: ReturnType<typeof html>) {
  const { companyName, siteUrl } = services.mail.sender;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${heading} - ${companyName}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
<a class="home" href="${siteUrl}">${companyName}</a>
<div class="card">
<h1>${heading}</h1>
${body}
</div>
<p>Questions? Write to <a href="mailto:${company.supportEmail}">${company.supportEmail}</a>.</p>
</main>
</body>
</html>`;
}
