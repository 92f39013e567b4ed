import * as z from "zod";
import type { MailConfig } from "../config";
import type { SendOutcome } from "./dispatch";

/** A mail's content: the same in both forms. */
export type MailContent = { subject: string; html: string; text: string };

/** What a mail says about who sends it. */
export type Sender = Pick<MailConfig, "companyName" | "consoleUrl" | "supportEmail">;

export type Mail = {
  sender: Sender;
  /**
   * Sends one mail; answers to it go to the support address.
   * @param key the same for a repetition, which then is no second mail where the transport knows keys
   */
  send(key: string, to: string, content: MailContent): Promise<SendOutcome>;
};

const DEADLINE_MS = 10_000;

/** Mail over the transport that the configuration chose. */
export function mailOver({ transport, ...config }: MailConfig): Mail {
  const from = { name: config.companyName, email: config.from };
  return {
    sender: config,
    async send(key, to, content) {
      if (transport.kind === "http") {
        return sendOverHttp(transport, key, {
          from: `${quoted(from.name)} <${from.email}>`,
          to: [to],
          reply_to: config.supportEmail,
          ...content,
        });
      }
      // Cloudflare knows no keys: a Worker that ends between this and noting it sends a second mail.
      // https://developers.cloudflare.com/email-service/api/send-emails/workers-api/
      try {
        await transport.binding.send({ from, to, replyTo: config.supportEmail, ...content });
        return { status: "sent" };
      } catch (error) {
        return { status: "failed", reason: codeOf(error) };
      }
    },
  };
}

/** `POST {url}` as Resend takes it, with the key as its Idempotency-Key. https://resend.com/docs/api-reference/emails */
async function sendOverHttp(
  { url, key: apiKey }: { url: string; key: string },
  key: string,
  body: MailContent & { from: string; to: string[]; reply_to: string },
): Promise<SendOutcome> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify(body),
      redirect: "manual",
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
  } catch (error) {
    return { status: "failed", reason: error instanceof Error ? error.name : typeof error };
  }
  if (response.ok) {
    await response.body?.cancel();
    return { status: "sent" };
  }
  // The key was used with other words, those of an earlier release: the mail is out.
  const isRepetition = response.status === 409 && problemName(await response.text()) === "invalid_idempotent_request";
  if (!response.bodyUsed) await response.body?.cancel();
  return isRepetition ? { status: "sent" } : { status: "failed", reason: String(response.status) };
}

function problemName(text: string): string | undefined {
  try {
    return z.object({ name: z.string() }).parse(JSON.parse(text)).name;
  } catch {
    return undefined;
  }
}

/** Such as E_RATE_LIMIT_EXCEEDED; the message is left out, since it may quote the address. */
function codeOf(error: unknown): string {
  const parsed = z.object({ code: z.string() }).safeParse(error);
  return parsed.success ? parsed.data.code : error instanceof Error ? error.name : typeof error;
}

/** A display name as a quoted string (RFC 5322, section 3.2.4). */
function quoted(name: string): string {
  return `"${name.replaceAll(/["\\]/g, "\\$&")}"`;
}
