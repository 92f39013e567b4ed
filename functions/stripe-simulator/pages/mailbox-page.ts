import { isDeepStrictEqual } from "node:util";
import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod";
import type { StripeContext } from "../api/router";
import { list, page, time } from "./layout";

const message = z.object({
  from: z.string().min(1),
  to: z.array(z.email({ pattern: z.regexes.html5Email })).length(1),
  subject: z.string().min(1),
  html: z.string().min(1),
  text: z.string().min(1),
  reply_to: z.email().optional(),
  headers: z.record(z.string(), z.string()).optional(),
});
const received = message.extend({ id: z.string(), created_at: z.string() });

/** https://resend.com/docs/dashboard/emails/idempotency-keys */
const KEY_REUSED = {
  ...{ statusCode: 409, name: "invalid_idempotent_request" },
  message: "Same idempotency key used with a different request payload.",
};

/** An email provider with Resend's API: https://resend.com/docs/api-reference/emails */
export const emails = new Hono<StripeContext>();

emails.post("/", async (c) => {
  const { store } = c.var.account;
  if (!/^Bearer re_\w+$/.test(c.req.header("authorization") ?? "")) {
    return c.json({ statusCode: 401, name: "missing_api_key", message: "Missing API key" }, 401);
  }
  const given = message.safeParse(await c.req.json());
  if (!given.success) {
    return c.json({ statusCode: 422, name: "validation_error", message: z.prettifyError(given.error) }, 422);
  }
  const key = c.req.header("idempotency-key") ?? crypto.randomUUID();
  const known = store.get(received, "email", key);
  if (known) {
    const { id, created_at, ...sent } = known;
    return isDeepStrictEqual(sent, given.data) ? c.json({ id }) : c.json(KEY_REUSED, 409);
  }
  const id = crypto.randomUUID();
  store.set("email", key, { ...given.data, id, created_at: new Date().toISOString() });
  return c.json({ id });
});

emails.get("/", (c) => c.json({ object: "list", data: c.var.account.store.all(received, "email") }));

export const mailbox = new Hono<StripeContext>();

mailbox.get("/", (c) => {
  const content = list(
    c.var.account.store.all(received, "email"),
    "No emails have been sent yet.",
    ({ id, to, subject, created_at }) =>
      html`<a href="/mailbox/${id}">${subject}</a><br />to ${to.join(", ")}, ${time(created_at)}`,
  );
  return c.html(page("Mailbox", content));
});

mailbox.get("/:id", (c) => {
  const found = c.var.account.store.all(received, "email").find(({ id }) => id === c.req.param("id"));
  if (!found) return c.html(page("No such message", html`<p><a href="/mailbox">Mailbox</a></p>`), 404);
  // The text has the links, because nothing in the sandboxed frame may run or navigate.
  const text = found.text
    .split(/(https?:\/\/\S+)/)
    .map((part) => (part.startsWith("http") ? html`<a href="${part}">${part}</a>` : part));
  const content = html`<p><a href="/mailbox">Mailbox</a></p>
    <p>From ${found.from}<br />To ${found.to.join(", ")}<br />Reply to ${found.reply_to ?? found.from}</p>
    <h2>HTML</h2>
    <iframe sandbox srcdoc="${found.html}" title="The message as HTML"></iframe>
    <h2>Text</h2>
    <pre>${text}</pre>`;
  return c.html(page(found.subject, content));
});
