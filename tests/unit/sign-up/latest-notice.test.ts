// @vitest-environment jsdom
import { createElement, useState } from "react";
import { expect, test } from "vitest";
import { type Notice, SITE_UNREACHABLE } from "../../../app/signup/notices";
import { useLatest } from "../../../app/signup/requests/use-failure";
import { form } from "./page-with-server";
import { renderedPages } from "./rendered-page";

/* Of several notices the page shows the one that came last. */

const show = renderedPages();

/** A button that leads to the next notices, and has the title of the shown one. */
function Sequence({ steps }: { steps: (Notice | undefined)[][] }) {
  const [at, setAt] = useState(0);
  const latest = useLatest(steps[at] ?? []);
  return createElement("button", { type: "button", onClick: () => setAt(at + 1) }, latest?.title ?? "nothing");
}

const [first, second] = ["first", "second"].map((title): Notice => ({ ...SITE_UNREACHABLE, title }));

test.each([
  { what: "a later notice takes the place of an earlier one", to: [first, second], shown: "second" },
  { what: "an earlier notice that goes leaves the later one", to: [undefined, second], shown: "second" },
  { what: "a later notice that goes does not bring back an earlier one", to: [first, undefined], shown: "nothing" },
])("$what", async ({ to, shown }) => {
  const { press, container } = await show(
    createElement(Sequence, { steps: [[first, undefined], [first, second], to] }),
    form,
  );
  await press("first");
  await press("second");
  expect(container.textContent).toBe(shown);
});
