import * as z from "zod";

/*
 * A subscription API that knows the specification and nothing of this repository: one route, a client_secret or an error. It has no
 * status_url, price, end, problem type or idempotency key, sends no email, and never ends a sign-up. Each answer stands beside the
 * words that it comes from.
 */

const text = z.string();
/** Section 3, "Subscription sign-up payload (all strings)". */
const payload = z.strictObject({
  // "package_id (uuid, optional)"
  package_id: z.uuid().optional(),
  // "phone (stored as digits only)"
  phone: z.string().regex(/^\d+$/),
  ...{ email: text, password: text, company_name: text, full_name: text },
  ...{ address: text, city: text, state: text, zipCode: text, country: text },
});

type Payload = z.output<typeof payload>;
/** A status of section 8, "Network failure", or an answer with another `client_secret`. */
type Refusal = number | "network failure" | { client_secret?: unknown };

/** @param clientSecret makes the setup that the card's provider knows */
export function plainApi(clientSecret: (email: string) => Promise<string>) {
  const posts: Payload[] = [];
  const state: { refusal: Refusal | undefined } = { refusal: undefined };

  async function answer(request: Request): Promise<Response> {
    // Section 7: "POST {api base}/subscription". There is no other call.
    if (request.method !== "POST" || new URL(request.url).pathname !== "/subscription") return said(404);
    // Section 7: "Content type JSON. No authorization header."
    const isJson = request.headers.get("content-type") === "application/json";
    if (!isJson || request.headers.has("authorization")) return said(400);
    const { data, success } = payload.safeParse(await request.json());
    if (!success) return said(400);
    posts.push(data);
    const { refusal } = state;
    // Section 8: "Sign-up POST failures", by their status alone.
    if (typeof refusal === "number") return said(refusal);
    // Section 8: "Network failure".
    if (refusal === "network failure") throw new TypeError(refusal);
    // Section 7: "JSON with client_secret. Other fields are not shown."
    return Response.json(refusal ?? { client_secret: await clientSecret(data.email) });
  }

  return {
    posts,
    answer,
    /** Refuses the next forms, or takes them again. */
    refuse(refusal: Refusal | undefined) {
      posts.length = 0;
      state.refusal = refusal;
    },
  };
}

/** "How the server treats duplicates or validates on its side is not shown." */
const said = (status: number) => Response.json({ error: "no" }, { status });
