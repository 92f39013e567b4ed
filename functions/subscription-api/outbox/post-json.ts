import { failedCall } from "../../../app/shared/http/failed-call";
import type { SendOutcome } from "./outbox";

const DEADLINE_MS = 10_000;

type Sent = {
  headers: Record<string, string>;
  body: string;
  /** True for a refusal that means the receiver already has the message. */
  isRepetition?: (response: Response) => Promise<boolean>;
};

/** Posts a message to its receiver. Reads no body, which may be endless, except a 409's beginning for `isRepetition`. */
export async function postJson(url: string, { headers, isRepetition, body }: Sent): Promise<SendOutcome> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
      // Following a redirect would send personal data to another host.
      redirect: "manual",
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const isSent = response.ok || (await isRepetition?.(response)) === true;
    if (!response.bodyUsed) await response.body?.cancel();
    return isSent ? { status: "sent" } : { status: "failed", reason: String(response.status) };
  } catch (error) {
    return { status: "failed", reason: failedCall(error).cause };
  }
}
