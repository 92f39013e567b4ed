import type { Workload } from "./workload";

/** RFC 9457, with extensions: form errors, names of settings, work that is left. */
export type Problem = {
  type?: string;
  title: string;
  detail?: string;
  errors?: Record<string, string[]>;
  keys?: string[];
} & Partial<Workload>;

export function problem(status: number, members: Problem, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ type: "about:blank", status, ...members }), {
    status,
    headers: { ...headers, "content-type": "application/problem+json", "cache-control": "no-store" },
  });
}
