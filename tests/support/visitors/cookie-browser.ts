import { type Answer, pairsIn, type SiteVisitor } from "./site-visitor";

/** A browser without scripts: keeps cookies and sends them. */
export function cookieBrowser(visitor: SiteVisitor) {
  const email = `visitor-${crypto.randomUUID()}@example.com`;
  const jar = new Map<string, string>();
  const keep = (answer: Answer) => {
    for (const pair of pairsIn(answer.headers)) {
      const [name = "", value = ""] = pair.split("=");
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  };
  // Without cookies a browser sends no header, which is said by an empty one.
  const headers = () => ({ Cookie: [...jar].map((pair) => pair.join("=")).join("; ") });
  const browser = {
    email,
    get: async (path: string) => keep(await visitor.get(path, headers())),
    post: async (body: string, path: string) => keep(await visitor.post(body, headers(), path)),
    /** Opens the form of a plan, fills it in and sends it. */
    async signUp(plan: string, change: Record<string, string> = {}) {
      await browser.get(`/subscription/${plan}`);
      return browser.send({ package_id: plan, ...change });
    },
    async send(change: Record<string, string>) {
      return keep(await visitor.submit({ email, ...change }, headers(), `/subscription/${change.package_id}`));
    },
    hasSession: () => jar.has("signup"),
  };
  return browser;
}
