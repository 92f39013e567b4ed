import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod";
import type { StripeContext } from "../api/operation-context";
import type { Received } from "../store/store";
import { page, time } from "./page-layout";

/* A mail provider with the API of Resend: https://resend.com/docs/api-reference/emails */

const message = z.object({
  from: z.string().min(1),
  to: z.array(z.email()).length(1),
  subject: z.string().min(1),
  html: z.string().min(1),
  text: z.string().min(1),
  reply_to: z.email().optional(),
});
const keptMessage = message.extend({ id: z.string(), created_at: z.string() });
type KeptMessage = z.output<typeof keptMessage>;

export const emails = new Hono<StripeContext>();

emails.post("/", async (c) => {
  if (!/^Bearer re_\w+$/.test(c.req.header("authorization") ?? "")) {
    return c.json({ statusCode: 401, name: "missing_api_key", message: "Missing API key" }, 401);
  }
  const given = message.safeParse(await c.req.json());
  if (!given.success) {
    return c.json({ statusCode: 422, name: "validation_error", message: z.prettifyError(given.error) }, 422);
  }
  const key = c.req.header("idempotency-key") ?? crypto.randomUUID();
  const before = c.var.store.receivedUnder("mailbox", key);
  if (before) {
    const { id, created_at, ...known } = kept(before);
    if (JSON.stringify(known) === JSON.stringify(given.data)) return c.json({ id });
    const refusal = "Same idempotency key used with a different request payload";
    return c.json({ statusCode: 409, name: "invalid_idempotent_request", message: refusal }, 409);
  }
  const id = crypto.randomUUID();
  const created_at = new Date().toISOString();
  c.var.store.receive("mailbox", key, { id, body: JSON.stringify({ ...given.data, id, created_at }) });
  return c.json({ id });
});

emails.get("/", (c) => c.json({ object: "list", data: c.var.store.received("mailbox").map(kept) }));

export const mailbox = new Hono<StripeContext>();

mailbox.get("/", (c) => {
  const messages = c.var.store.received("mailbox").map(kept);
  const list = html`<ul>
    ${messages.map(
      ({ id, to, subject, created_at }) =>
        html`<li>
          <a href="/mailbox/${id}">${subject}</a><br />
          to ${to.join(", ")}, ${time(created_at)}
        </li>`,
    )}
  </ul>`;
  return c.html(page("Mailbox", messages.length > 0 ? list : html`<p>Nothing was sent yet.</p>`));
});

mailbox.get("/:id", (c) => {
  const found = findMessage(c.var.store.received("mailbox"), c.req.param("id"));
  if (!found) return c.html(page("No such message", html`<p><a href="/mailbox">Mailbox</a></p>`), 404);
  const content = html`<p><a href="/mailbox">Mailbox</a></p>
    <p>From ${found.from}<br />To ${found.to.join(", ")}<br />Reply to ${found.reply_to ?? found.from}</p>
    <h2>HTML</h2>
    <iframe sandbox src="/mailbox/${found.id}/html" title="The message as HTML"></iframe>
    <h2>Text</h2>
    <pre>${withLinks(found.text)}</pre>`;
  return c.html(page(found.subject, content));
});

/** Sandboxed: nothing may run, load or navigate. */
mailbox.get("/:id/html", (c) => {
  const found = findMessage(c.var.store.received("mailbox"), c.req.param("id"));
  if (!found) return c.notFound();
  c.header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox");
  return c.html(found.html);
});

/** Its links can be followed here: in the frame they cannot. */
function withLinks(text: string) {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part) => (part.startsWith("http") ? html`<a href="${part}">${part}</a>` : part));
}

function findMessage(received: Received[], id: string): KeptMessage | undefined {
  return received.map(kept).find((message) => message.id === id);
}

function kept({ body }: Received): KeptMessage {
  return keptMessage.parse(JSON.parse(body));
}
