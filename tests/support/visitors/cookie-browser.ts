import { signUpPath } from "../../../app/contract/sign-up-path";
import { type Answer, pairsIn, type SiteVisitor } from "./site-visitor";

/** Where the card step's script goes after a card's setup. */
export const returnPathIn = ({ body }: Answer) => /\\"returnPath\\",\\"([^"\\]+)/.exec(body)?.[1] ?? "";
export const secretIn = ({ body }: Answer) => /seti_\w+_secret_\w+/.exec(body)?.[0];

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
    /** Presses a button of the page at a path. */
    press: async (intent: string, path: string) =>
      keep(await visitor.post(new URLSearchParams({ intent }).toString(), headers(), path)),
    /** Opens the form of a plan, or of none, fills it in and sends it. */
    async signUp(plan: string, change: Record<string, string> = {}) {
      await get(signUpPath(plan));
      const form = { email, package_id: plan, ...change };
      return keep(await visitor.submit(form, headers(), signUpPath(plan)));
    },
  };
}
