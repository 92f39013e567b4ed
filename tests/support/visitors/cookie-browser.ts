import { signupSessions } from "../../../app/signup/server/session.server";
import { type Answer, pairsIn, type SiteVisitor } from "./site-visitor";

/** As in wrangler.toml. */
const LOCAL_SESSION_SECRET = "only-for-local-development-never-for-a-deployment";

/** A browser without scripts: keeps cookies and sends them. */
export function cookieBrowser(visitor: SiteVisitor) {
  const email = `visitor-${crypto.randomUUID()}@example.com`;
  const jar = new Map<string, string>();
  const keep = (answer: Answer) => {
    for (const pair of browser.keepsCookies ? pairsIn(answer.headers) : []) {
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
    keepsCookies: true,
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
    clientSecret: async (plan: string) =>
      /seti_\w+_secret_\w+/.exec((await browser.get(`/subscription/${plan}`)).body)?.[0] ?? "",
    hasSession: () => jar.has("signup"),
    loseCookies: () => jar.clear(),
    /** Ages the session. */
    async wait(milliseconds: number) {
      const sessions = signupSessions([LOCAL_SESSION_SECRET], false);
      const Cookie = `signup=${jar.get("signup")}`;
      const session = await sessions.read(new Request("http://localhost", { headers: { Cookie } }));
      if (typeof session === "string") throw new Error(`The session is ${session}`);
      const earlier = await sessions.write({ ...session, expiresAt: session.expiresAt - milliseconds });
      jar.set("signup", earlier.split(";")[0]?.slice("signup=".length) ?? "");
    },
  };
  return browser;
}
