/** The members of a problem (RFC 9457, section 3.1) that this API uses; `errors` is its extension for form fields. */
export type Problem = {
  title: string;
  detail?: string;
  /** Field name → what is wrong with it. */
  errors?: Record<string, string[]>;
  /** Names of configuration keys and bindings: never their values. */
  keys?: string[];
};

/** An error answer as `application/problem+json` (RFC 9457). */
export function problem(status: number, members: Problem, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ type: "about:blank", status, ...members }), {
    status,
    headers: { ...headers, "content-type": "application/problem+json", "cache-control": "no-store" },
  });
}
