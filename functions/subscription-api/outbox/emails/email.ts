import * as z from "zod";
import { readBoundedText } from "../../../../app/shared/bounded-body";
import type { MailConfig } from "../../config";
import type { SendOutcome } from "../outbox";

export type EmailContent = { subject: string; html: string; text: string };

export type Sender = Pick<
  MailConfig,
  "companyName" | "consoleUrl" | "customerPortalUrl" | "siteUrl" | "supportEmail" | "salesEmail"
>;

export type Mail = {
  sender: Sender;
  /** @param key by which the provider recognizes a repetition */
  send(key: string, to: string, content: EmailContent): Promise<SendOutcome>;
};

const DEADLINE_MS = 10_000;
const MAX_ANSWER_BYTES = 16 * 1024;

export function mailOver({ transport, ...config }: MailConfig, deadlineFactor = 1): Mail {
  const from = { name: config.companyName, email: config.from };
  return {
    sender: config,
    async send(key, to, content) {
      if (transport.kind === "http") {
        return sendOverHttp({ ...transport, deadlineFactor }, key, {
          from: `${quoted(from.name)} <${from.email}>`,
          to: [to],
          reply_to: config.supportEmail,
          ...content,
        });
      }
      // The binding takes no key: a crash before the outbox is updated causes a second email.
      try {
        await transport.binding.send({ from, to, replyTo: config.supportEmail, ...content });
        return { status: "sent" };
      } catch (error) {
        return { status: "failed", reason: codeOf(error) };
      }
    },
  };
}

/** In the format of Resend: https://resend.com/docs/api-reference/emails */
async function sendOverHttp(
  { url, key: apiKey, deadlineFactor }: { url: string; key: string; deadlineFactor: number },
  key: string,
  body: EmailContent & { from: string; to: string[]; reply_to: string },
): Promise<SendOutcome> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify(body),
      redirect: "manual",
      signal: AbortSignal.timeout(DEADLINE_MS * deadlineFactor),
    });
  } catch (error) {
    return { status: "failed", reason: error instanceof Error ? error.name : typeof error };
  }
  if (response.ok) {
    await response.body?.cancel();
    return { status: "sent" };
  }
  // An earlier release sent this email with another text.
  const isRepetition = response.status === 409 && (await problemName(response)) === "invalid_idempotent_request";
  if (!response.bodyUsed) await response.body?.cancel();
  return isRepetition ? { status: "sent" } : { status: "failed", reason: String(response.status) };
}

async function problemName(response: Response): Promise<string | undefined> {
  const body = await readBoundedText(response, { bytes: MAX_ANSWER_BYTES });
  try {
    return body.status === "read" ? z.object({ name: z.string() }).parse(JSON.parse(body.text)).name : undefined;
  } catch {
    return undefined;
  }
}

/** Without the error's message, which may quote the recipient. */
function codeOf(error: unknown): string {
  const parsed = z.object({ code: z.string() }).safeParse(error);
  return parsed.success ? parsed.data.code : error instanceof Error ? error.name : typeof error;
}

/** RFC 5322, section 3.2.4. */
function quoted(name: string): string {
  return `"${name.replaceAll(/["\\]/g, "\\$&")}"`;
}
