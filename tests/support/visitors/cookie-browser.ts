import { signupSessions } from "../../../app/signup/server/session/session.server";
import { type Answer, nonceIn, type SiteVisitor } from "./site-visitor";

/** As in wrangler.toml. */
export const LOCAL_SESSION_SECRET = "only-for-local-development-never-for-a-deployment";

/** A browser without scripts: sends its cookie and stores the site's changes. */
export function cookieBrowser(visitor: SiteVisitor) {
  const email = `visitor-${crypto.randomUUID()}@example.com`;
  let cookie = "";
  const keep = (answer: Answer) => {
    const set = answer.headers.get("Set-Cookie");
    if (set !== null && browser.keepsCookies) cookie = /Max-Age=0/.test(set) ? "" : answer.cookie;
    return answer;
  };
  const headers = (): Record<string, string> => (cookie === "" ? {} : { Cookie: cookie });
  const browser = {
    email,
    keepsCookies: true,
    get: async (path: string) => keep(await visitor.get(path, headers())),
    post: async (body: string, path: string) => keep(await visitor.post(body, headers(), path)),
    /** Opens the form of a plan, fills it in and sends it. */
    async signUp(plan: string, change: Record<string, string> = {}) {
      const nonce = nonceIn(await browser.get(`/subscription/${plan}`));
      return browser.send({ package_id: plan, form_nonce: nonce, ...change });
    },
    async send(change: Record<string, string>) {
      return keep(await visitor.submit({ email, ...change }, headers(), `/subscription/${change.package_id}`));
    },
    clientSecret: async (plan: string) =>
      /seti_\w+_secret_\w+/.exec((await browser.get(`/subscription/${plan}`)).body)?.[0] ?? "",
    cookie: () => cookie,
    setCookie(value: string) {
      cookie = value;
    },
    /** Ages the session. */
    async wait(milliseconds: number) {
      // A stopped clock opens expired sessions too.
      const sessions = signupSessions([LOCAL_SESSION_SECRET], false, () => 0);
      const found = await sessions.read(new Request("http://localhost", { headers: { Cookie: cookie } }));
      if (!("session" in found)) throw new Error(`The session is ${found.status}`);
      const { session } = found;
      const earlier = <Time extends { expiresAt: number; endsAt: number }>(time: Time): Time => ({
        ...time,
        expiresAt: time.expiresAt - milliseconds,
        endsAt: time.endsAt - milliseconds,
      });
      const other = session.other && earlier(session.other);
      cookie = (await sessions.write({ ...earlier(session), other })).split(";")[0] ?? "";
    },
  };
  return browser;
}
