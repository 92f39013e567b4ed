import { onTestFailed, onTestFinished, test, vi } from "vitest";
import { runSequence } from "../../simulation/sign-up-model";
import type { Backend } from "../../simulation/site-backend";
import { look, post, SITE_URL } from "../../support/site-in-process/site-context";
import { siteWithApi } from "../../support/site-in-process/site-with-api";

function backend(): Backend {
  const { site, api, deliver, loseAnswers, enterCard, chargesOf, catalog, listPrice } = siteWithApi();
  return {
    async ask(path, headers, form) {
      const posted = form && (await post(site, form, { path, headers }));
      // Remix renders the page of a post with its loader's data, or redirects where that does.
      const opened = posted?.reply || !posted ? await look(site, { path, headers }) : undefined;
      // The pipeline's part, outside the page cache.
      const nonce = form ? undefined : site.sessions.missingNonce(new Request(SITE_URL, { headers }));
      const cookies = [posted, opened].flatMap((answer) => answer?.headers.getSetCookie() ?? []);
      const { sentTo, step } = opened ?? { ...posted, step: undefined };
      return { cookies: [...cookies, nonce ?? []].flat(), sentTo, step, reply: posted?.reply };
    },
    rows: api.rows,
    chargesOf,
    enterCard,
    loseAnswers,
    company: { catalog, list: listPrice },
    async wait(hours) {
      vi.setSystemTime(Date.now() + hours * 60 * 60 * 1000);
      await api.runScheduled();
      await deliver();
    },
  };
}

/** Before a release, `npm run test:long` sets more. */
const { SEED = "101", SEQUENCES = "30" } = process.env;

test("every page is true, every email address has one trial at most, and every open page can be finished", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
  const way: string[] = [];
  onTestFailed(() => void process.stderr.write(way.join("\n")));
  onTestFinished(() => void vi.useRealTimers());
  for (let seed = Number(SEED); seed < Number(SEED) + Number(SEQUENCES); seed += 1)
    await runSequence(backend(), seed, way);
}, 600_000);
