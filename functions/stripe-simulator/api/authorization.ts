import { invalidRequest } from "./errors";

export type KeyKind = "secret" | "publishable";

/** Takes any test key, as Bearer or the parameter `key`; throws StripeFailure 401. */
export function keyKind(header: string | undefined, keyParameter: unknown): KeyKind {
  const key = header?.replace(/^Bearer /i, "") ?? keyParameter;
  if (typeof key !== "string" || key === "") {
    throw invalidRequest(
      "You did not provide an API key. You need to provide your API key in the Authorization header.",
      { status: 401 },
    );
  }
  if (/^[sr]k_test_\w+$/.test(key)) return "secret";
  if (/^pk_test_\w+$/.test(key)) return "publishable";
  throw invalidRequest(`Invalid API Key provided: ${key.slice(0, 8)}***`, { status: 401 });
}

export function requireSecretKey(kind: KeyKind): void {
  if (kind === "secret") return;
  throw invalidRequest("This API call cannot be made with a publishable API key. Please use a secret API key.", {
    code: "secret_key_required",
    status: 401,
  });
}
