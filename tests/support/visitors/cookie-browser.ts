import { type Answer, pairsIn, type SiteVisitor } from "./site-visitor";

/** A browser without scripts: keeps cookies and sends them. */
export function cookieBrowser(visitor: SiteVisitor) {
  const email = `visitor-${crypto.randomUUID()}@example.com`;
  const jar = new Map<string, string>();
  const keep = (answer: Answer) => {
    for (const pair of pairsIn(answer.headers)) jar.set(pair.split("=")[0] ?? "", pair);
    return answer;
  };
  /** A cookie without a value has been deleted. */
  const headers = () => ({ Cookie: [...jar.values()].filter((pair) => /=./.test(pair)).join("; ") });
  const get = async (path: string) => keep(await visitor.get(path, headers()));
  return {
    email,
    get,
    post: async (body: string, path: string) => keep(await visitor.post(body, headers(), path)),
    /** Opens the form of a plan, fills it in and sends it. */
    async signUp(plan: string, change: Record<string, string> = {}) {
      await get(`/subscription/${plan}`);
      const form = { email, package_id: plan, ...change };
      return keep(await visitor.submit(form, headers(), `/subscription/${plan}`));
    },
  };
}
