import { expect, onTestFinished, test, vi } from "vitest";
import { NOW, stopClock } from "../../support/clock";

/* The card form's own file, which is gone with its release: the page reloads once, and then says so. */

stopClock();

vi.doMock("../../../app/signup/card/stripe-elements", () => {
  throw new TypeError("Failed to fetch dynamically imported module");
});

/** A tab whose card form never loads. Its history entry survives a reload, and its modules do not. */
function openTab({ siteAnswers = 200 } = {}) {
  onTestFinished(() => void vi.unstubAllGlobals());
  const entry = { state: { key: "of the router" } };
  let reload = () => {};
  const replaceState = (state: typeof entry.state) => {
    entry.state = state;
  };
  vi.stubGlobal("history", Object.defineProperty({ replaceState }, "state", { get: () => entry.state }));
  vi.stubGlobal("location", { reload: () => reload() });
  vi.stubGlobal("fetch", async () => new Response(null, { status: siteAnswers }));
  const load = async (how: "loadStripeElements" | "loadStripeElementsAgain") => {
    vi.resetModules();
    const script = await import("../../../app/signup/card/card-script");
    return new Promise<string>((resolve) => {
      reload = () => resolve("reloaded");
      script[how]().then(
        () => resolve("loaded"),
        () => resolve("failed"),
      );
    });
  };
  return { entry, view: () => load("loadStripeElements"), tryAgain: () => load("loadStripeElementsAgain") };
}

test("a page whose card form is gone reloads once, and fails at the second and the third view", async () => {
  const { view, entry } = openTab();
  expect([await view(), await view(), await view()]).toEqual(["reloaded", "failed", "failed"]);
  expect(entry.state, "the router keeps its own").toMatchObject({ key: "of the router" });
});

test("a visitor's own try reloads each time, and the page reloads by itself no second time in ten seconds", async () => {
  const { view, tryAgain } = openTab();
  const told = [await view(), await view(), await tryAgain(), await view(), await tryAgain(), await view()];
  expect(told).toEqual(["reloaded", "failed", "reloaded", "failed", "reloaded", "failed"]);
});

test.each([
  { seconds: 9, second: "failed" },
  { seconds: 10, second: "reloaded" },
])("a page whose card form is gone again after $seconds s is $second", async ({ seconds, second }) => {
  const { view } = openTab();
  await view();
  vi.setSystemTime(NOW + seconds * 1_000);
  expect(await view()).toBe(second);
  expect(await view()).toBe("failed");
});

test("a page never reloads while the site does not answer", async () => {
  const { view, tryAgain } = openTab({ siteAnswers: 503 });
  expect([await view(), await tryAgain(), await view()]).toEqual(["failed", "failed", "failed"]);
});
