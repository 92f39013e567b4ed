import type { Workload } from "./workload";

/** Problem details (RFC 9457), extended with form errors, settings' names or pending work. */
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
