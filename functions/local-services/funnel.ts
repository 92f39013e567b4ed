import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod";
import type { StripeContext } from "../stripe-simulator/api/context";
import type { Store } from "../stripe-simulator/store/store";
import { page } from "./page";

const word = z.string().regex(/^[\w-]{1,100}$/);
const counted = z.object({ step: word, package: word, field: word });

const PREFIX = "funnel ";
const NO_FIELD = "none";

/** What Workers Analytics Engine has in a deployment: the Workers' counts, as `npm start` hands them on from their logs. */
export const funnel = new Hono<StripeContext>();

funnel.post("/", async (c) => {
  const { store } = c.var;
  const given = counted.safeParse(await c.req.json());
  if (!given.success) return c.json({ error: z.prettifyError(given.error) }, 422);
  const name = `${PREFIX}${given.data.step} ${given.data.package} ${given.data.field}`;
  store.saveSetting(name, store.setting(name) + 1);
  return c.body(null, 204);
});

/** Answers every query as Analytics Engine answers that of the operator's page: the steps with how often each was counted. */
funnel.post("/sql", async (c) => {
  // A body that is left unread ends the connection, and what the API sends next fails.
  await c.req.text();
  const counts = countsIn(c.var.store);
  const data = namesOf(counts, ({ step }) => step).map((step) => ({
    step,
    n: String(sum(counts.filter((count) => count.step === step))),
  }));
  return c.json({
    meta: [
      { name: "step", type: "String" },
      { name: "n", type: "UInt64" },
    ],
    data,
    rows: data.length,
  });
});

funnel.get("/counts", (c) => c.json({ data: countsIn(c.var.store) }));

funnel.get("/", (c) => {
  const counts = countsIn(c.var.store);
  const steps = counts.filter(({ field }) => field === NO_FIELD);
  const fields = counts.filter(({ field }) => field !== NO_FIELD);
  const packages = namesOf(steps, (count) => count.package).sort();
  const content = html`<p>What both Workers have counted: steps of sign-ups, by package, and nothing that tells who it was.</p>
    <table>
      <tr><th>Step</th><th>All</th>${packages.map((name) => html`<th title="${name}">${name.slice(0, 8)}</th>`)}</tr>
      ${namesOf(steps, ({ step }) => step).map((step) => {
        const ofStep = steps.filter((count) => count.step === step);
        const cells = packages.map((name) => sum(ofStep.filter((count) => count.package === name)));
        return html`<tr><th>${step}</th><td>${sum(ofStep)}</td>${cells.map((n) => html`<td>${n}</td>`)}</tr>`;
      })}
    </table>
    <h2>Fields of refused forms</h2>
    <table>
      ${namesOf(fields, ({ field }) => field).map(
        (name) => html`<tr><th>${name}</th><td>${sum(fields.filter(({ field }) => field === name))}</td></tr>`,
      )}
    </table>`;
  return c.html(page("The funnel", content));
});

type Count = z.output<typeof counted> & { count: number };

/** The most frequent first. */
function countsIn(store: Store): Count[] {
  const counts = store.settings(PREFIX).map(({ name, value }) => {
    const [step = "", packageWord = "", field = ""] = name.slice(PREFIX.length).split(" ");
    return { step, package: packageWord, field, count: value };
  });
  return counts.sort((a, b) => b.count - a.count);
}

function namesOf(counts: Count[], name: (count: Count) => string): string[] {
  const names = [...new Set(counts.map(name))];
  const total = (one: string) => sum(counts.filter((count) => name(count) === one));
  return names.sort((a, b) => total(b) - total(a));
}

function sum(counts: Count[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}
