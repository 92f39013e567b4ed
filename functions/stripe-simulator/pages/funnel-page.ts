import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod";
import type { StripeContext } from "../api/context";
import type { Store } from "../store/store";
import { page } from "./page-layout";

const word = z.string().regex(/^[\w-]{1,100}$/);
const counted = z.object({ step: word, package: word, field: word });

const PREFIX = "funnel ";
const NO_FIELD = "none";

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
  const plans = namesOf(steps, (count) => count.package).sort();
  const names: Record<string, string> = {
    [NO_FIELD]: "No plan yet",
    other: "Unknown plan",
    ...c.var.account.planNames,
  };
  const content = html`<p>How often each step of a sign-up was counted, for all plans and for each. No personal data.</p>
    ${steps.length === 0 ? html`<p>Nothing has been counted yet.</p>` : stepTable(steps, plans, names)}
    ${fields.length > 0 && fieldTable(fields)}`;
  return c.html(page("Sign-up funnel", content));
});

function stepTable(steps: Count[], plans: string[], names: Record<string, string>) {
  return html`<div class="scroll" role="region" aria-label="Steps" tabindex="0"><table>
    <thead>
      <tr><th scope="col">Step</th><th scope="col">All plans</th>${plans.map((id) => html`<th scope="col" title="${id}">${names[id] ?? id}</th>`)}</tr>
    </thead>
    <tbody>
      ${namesOf(steps, ({ step }) => step).map((step) => {
        const ofStep = steps.filter((count) => count.step === step);
        const cells = plans.map((id) => sum(ofStep.filter((count) => count.package === id)));
        return html`<tr><th scope="row">${STEPS[step] ?? sentence(step)}</th><td>${sum(ofStep)}</td>${cells.map((n) => html`<td>${n}</td>`)}</tr>`;
      })}
    </tbody>
  </table></div>`;
}

function fieldTable(fields: Count[]) {
  return html`<h2>Fields of rejected forms</h2>
    <table>
      <thead><tr><th scope="col">Field</th><th scope="col">Rejected</th></tr></thead>
      <tbody>
        ${namesOf(fields, ({ field }) => field).map(
          (name) =>
            html`<tr><th scope="row">${sentence(name)}</th><td>${sum(fields.filter(({ field }) => field === name))}</td></tr>`,
        )}
      </tbody>
    </table>`;
}

/** Any other is shown as the Workers write it. */
const STEPS: Record<string, string> = {
  plan_viewed: "Plans viewed",
  form_opened: "Form opened",
  form_refused: "Form rejected",
  accepted: "Form accepted",
  card_shown: "Card form shown",
  declined: "Card declined",
  set_up: "Card set up",
  trial: "Trial started",
  paid: "First payment received",
};

const sentence = (name: string) => {
  const words = name.replaceAll(/[_-]/g, " ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

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
