import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod";
import { FUNNEL_STEPS, NONE } from "../../../app/contract/funnel-steps";
import type { StripeContext } from "../api/operation-context";
import type { Store } from "../store/store";
import { page } from "./page-layout";

const word = z.string().regex(/^[\w-]{1,100}$/);
const counted = z.object({ step: word, package: word, field: word });
type Count = z.output<typeof counted> & { count: number };

const PREFIX = "funnel ";

/** Stands in for Workers Analytics Engine: `npm start` forwards the counts in the Workers' logs. */
export const funnel = new Hono<StripeContext>();

funnel.post("/", async (c) => {
  const { store } = c.var;
  const given = counted.safeParse(await c.req.json());
  if (!given.success) return c.json({ error: z.prettifyError(given.error) }, 422);
  const name = `${PREFIX}${given.data.step} ${given.data.package} ${given.data.field}`;
  store.saveSetting(name, store.setting(name) + 1);
  return c.body(null, 204);
});

/** Answers every query like the operator page's: each step with its count. */
funnel.post("/sql", async (c) => {
  // An unread body closes the connection and breaks the next request.
  await c.req.text();
  const steps = new Map<string, number>();
  for (const { step, count } of countsIn(c.var.store)) steps.set(step, (steps.get(step) ?? 0) + count);
  const data = [...steps].map(([step, count]) => ({ step, n: String(count) }));
  const meta = [
    { name: "step", type: "String" },
    { name: "n", type: "UInt64" },
  ];
  return c.json({ meta, data, rows: data.length });
});

funnel.get("/counts", (c) => c.json({ data: countsIn(c.var.store) }));

funnel.get("/", (c) => {
  const { planNames } = c.var.account;
  const counts = countsIn(c.var.store);
  const table = html`<div class="scroll" role="region" aria-label="Steps" tabindex="0"><table>
    <thead><tr>${["Step", "Plan", "Field", "Count"].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>
      ${counts.map(
        ({ step, package: id, field, count }) =>
          html`<tr><th scope="row">${stepNames[step] ?? step}</th><td>${id === NONE ? "" : (planNames[id] ?? id)}</td><td>${nameOfField(field)}</td><td>${count}</td></tr>`,
      )}
    </tbody>
  </table></div>`;
  const content = html`<p>How often each step of a sign-up was counted, by plan and rejected field. No personal data.</p>
    ${counts.length === 0 ? html`<p>Nothing has been counted yet.</p>` : table}`;
  return c.html(page("Sign-up funnel", content));
});

const stepNames: Readonly<Record<string, string>> = FUNNEL_STEPS;

/** `zipCode` becomes `zip code`. */
function nameOfField(field: string): string {
  return field === NONE ? "" : field.replace(/_|(?=[A-Z])/g, " ").toLowerCase();
}

function countsIn(store: Store): Count[] {
  const counts = store.settings(PREFIX).map(({ name, value }) => {
    const [step = "", packageWord = "", field = ""] = name.slice(PREFIX.length).split(" ");
    return { step, package: packageWord, field, count: value };
  });
  return counts.sort((a, b) => b.count - a.count);
}
