/** Members of a problem (RFC 9457, section 3.1), and two extensions: form errors and names of settings. */
export type Problem = {
  title: string;
  detail?: string;
  errors?: Record<string, string[]>;
  keys?: string[];
};

export function problem(status: number, members: Problem, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ type: "about:blank", status, ...members }), {
    status,
    headers: { ...headers, "content-type": "application/problem+json", "cache-control": "no-store" },
  });
}
