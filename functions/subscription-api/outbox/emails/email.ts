import * as z from "zod";
import { company } from "../../../../app/company";
import { readBoundedText } from "../../../../app/shared/http/bounded-body";
import { parseJson } from "../../../../app/shared/http/parse-json";
import type { MailConfig } from "../../config";
import type { SendOutcome } from "../outbox";
import { postJson } from "../post-json";

export type EmailContent = { subject: string; html: string; text: string };

/** The company's name and the URLs in emails, which depend on the stage. Addresses are in app/company.ts. */
export type Sender = Omit<MailConfig, "transport">;

export type Mail = {
  sender: Sender;
  /** @param key the same for each attempt, so that an HTTP provider sends the email once */
  send(key: string, to: string, content: EmailContent): Promise<SendOutcome>;
};

/** So that no out-of-office reply goes to support: https://www.rfc-editor.org/rfc/rfc3834#section-5 */
const HEADERS = { "Auto-Submitted": "auto-generated" };

const MAX_ANSWER_BYTES = 16 * 1024;

export function mailOver({ transport, ...config }: MailConfig): Mail {
  const from = { name: config.companyName, email: company.senderEmail };
  return {
    sender: config,
    async send(key, to, content) {
      if (transport.kind === "http") {
        // Resend's format: https://resend.com/docs/api-reference/emails
        return postJson(transport.url, {
          headers: { authorization: `Bearer ${transport.key}`, "idempotency-key": key },
          body: JSON.stringify({
            from: `${quoted(from.name)} <${from.email}>`,
            to: [to],
            reply_to: company.supportEmail,
            headers: HEADERS,
            ...content,
          }),
          isRepetition,
        });
      }
      // The binding has no idempotency key, so a crash before the outbox is updated sends the email twice.
      try {
        await transport.binding.send({ from, to, replyTo: company.supportEmail, headers: HEADERS, ...content });
        return { status: "sent" };
      } catch (error) {
        return { status: "failed", reason: codeOf(error) };
      }
    },
  };
}

/** True if the provider already sent this email with another text. */
async function isRepetition(response: Response): Promise<boolean> {
  if (response.status !== 409) return false;
  const body = await readBoundedText(response, { bytes: MAX_ANSWER_BYTES });
  const problem = z.object({ name: z.string() }).safeParse("text" in body ? parseJson(body.text) : undefined);
  return body.status === "read" && problem.data?.name === "invalid_idempotent_request";
}

/** The error's code, or its name. Its message is not used, because it may quote the recipient. */
function codeOf(error: unknown): string {
  const name = error instanceof Error ? error.name : typeof error;
  return z.object({ code: z.string() }).safeParse(error).data?.code ?? name;
}

/** A quoted string (RFC 5322, section 3.2.4). */
function quoted(name: string): string {
  return `"${name.replaceAll(/["\\]/g, "\\$&")}"`;
}
