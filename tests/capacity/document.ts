import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../bench/root";
import type { Cost } from "./cost";
import { API_ACTIONS, type ApiAction, type Life } from "./measure-api";
import type { SiteAction } from "./measure-site";
import { D1_STORAGE, LIMITS, PRICES, type Price, WORKERS_PAID } from "./published";

/** What was measured. */
export interface Capacity {
  site: Record<SiteAction, Cost>;
  api: Life;
  /** Forms that the site takes in a minute at one of Cloudflare's locations: SIGNUP_TOTAL_RATE_LIMIT. */
  formsPerMinute: number;
}

const VISITS_A_DAY = 1_000_000;
const SIGN_UPS_A_DAY = 10_000;
const DAYS = 30;
const PAGES_OF_A_VISIT = 2;
/** Of ten visitors one opens the form; of two sign-ups one sends it with a mistake first. */
const FORMS_OF_A_VISIT = 0.1;
const REFUSED_FORMS_OF_A_SIGN_UP = 0.5;
/** The card step, and the page that says that all is done. */
const STEPS_OF_A_SIGN_UP = 2;
const CRON_RUNS_A_DAY = 24 * 60;
const SECONDS_A_DAY = 24 * 60 * 60;

const SITE_NAMES: Record<SiteAction, string> = {
  page: "Site: a public page",
  form: "Site: the empty form",
  "refused form": "Site: a form that comes back",
  "sign-up": "Site: a sign-up",
  "card step": "Site: the card step, or the success",
};
const API_NAMES: Record<ApiAction, string> = {
  "sign-up": "API: a sign-up",
  status: "API: the question how it stands",
  "card set up": "API: the webhook that starts the trial; mail and account webhook with it",
  "trial ending": "API: the webhook before the trial's end, with its mail",
  "other webhook": "API: another webhook",
  "idle cron run": "API: a run of the cron handler with nothing due",
};

/** How often each happens in a day. */
function timesADay({ api }: Capacity): { site: Record<SiteAction, number>; api: Record<ApiAction, number> } {
  return {
    site: {
      page: VISITS_A_DAY * PAGES_OF_A_VISIT,
      form: VISITS_A_DAY * FORMS_OF_A_VISIT,
      "refused form": SIGN_UPS_A_DAY * REFUSED_FORMS_OF_A_SIGN_UP,
      "sign-up": SIGN_UPS_A_DAY,
      "card step": SIGN_UPS_A_DAY * STEPS_OF_A_SIGN_UP,
    },
    api: {
      "sign-up": SIGN_UPS_A_DAY,
      status: SIGN_UPS_A_DAY,
      "card set up": SIGN_UPS_A_DAY * api.times["card set up"],
      "trial ending": SIGN_UPS_A_DAY * api.times["trial ending"],
      "other webhook": SIGN_UPS_A_DAY * api.times["other webhook"],
      "idle cron run": CRON_RUNS_A_DAY,
    },
  };
}

/** A table of what each action costs. */
export function tableOfCosts({ site, api }: Capacity): string {
  const named: [string, Cost][] = [
    ...entriesOf(site).map(([action, cost]): [string, Cost] => [SITE_NAMES[action], cost]),
    ...API_ACTIONS.map((action): [string, Cost] => [API_NAMES[action], api.costs[action]]),
  ];
  return table(
    ["Action", "CPU, ms", "D1 statements", "Rows read", "Rows written", "Subrequests", "Lines of log"],
    named.map(([name, cost]) => [
      name,
      shown(cost.cpu, cost.cpu < 1 ? 2 : 1),
      ...[cost.statements, cost.rowsRead, cost.rowsWritten, cost.subrequests, cost.logLines].map((count) =>
        shown(count),
      ),
    ]),
  );
}

/** A table of Cloudflare's bill for a month. */
export function tableOfPrices(measured: Capacity): string {
  const times = timesADay(measured);
  const amount = (figure: keyof Cost | "requests") => {
    const one = (cost: Cost) => (figure === "requests" ? 1 : cost[figure]);
    const site = entriesOf(measured.site).map(([action, cost]) => times.site[action] * one(cost));
    const api = API_ACTIONS.map((action) => times.api[action] * one(measured.api.costs[action]));
    return DAYS * [...site, ...api].reduce((sum, part) => sum + part, 0);
  };
  const lines = entriesOf(PRICES).map(([figure, price]) => lineOfBill(price, amount(figure)));
  const bytes = DAYS * SIGN_UPS_A_DAY * measured.api.bytes;
  const storage = (Math.max(0, bytes - D1_STORAGE.includedBytes) / 1e9) * D1_STORAGE.perGigabyte;
  const total = WORKERS_PAID + storage + lines.reduce((sum, { dollars }) => sum + dollars, 0);
  return table(
    ["In a month", "Amount", "Included", "US dollars"],
    [
      ["Workers Paid", "", "", dollars(WORKERS_PAID)],
      ...lines.map(({ cells }) => cells),
      [
        `[Bytes of the database](${D1_STORAGE.source}), after the first month`,
        millions(bytes),
        millions(D1_STORAGE.includedBytes),
        dollars(storage),
      ],
      ["**Together**", "", "", `**${dollars(total)}**`],
    ],
  );
}

function lineOfBill(price: Price, amount: number) {
  const cost = costOf(price, amount);
  const { what, included, source } = price;
  return { dollars: cost, cells: [`[${what}](${source})`, millions(amount), millions(included), dollars(cost)] };
}

/** US dollars for an amount in one month. */
export function costOf({ included, perMillion }: Price, amount: number): number {
  return (Math.max(0, amount - included) / 1e6) * perMillion;
}

/** A table of the limits, the one that is met first above. */
export function tableOfLimits(measured: Capacity): string {
  const { api, formsPerMinute, site } = measured;
  const times = timesADay(measured).api;
  const ofASignUp = (figure: keyof Cost) =>
    API_ACTIONS.filter((action) => action !== "idle cron run").reduce(
      (sum, action) => sum + (times[action] / SIGN_UPS_A_DAY) * api.costs[action][figure],
      0,
    );
  const statements = ofASignUp("statements");
  const calls = ofASignUp("subrequests");
  const lines =
    ofASignUp("logLines") +
    (VISITS_A_DAY / SIGN_UPS_A_DAY) * (PAGES_OF_A_VISIT * site.page.logLines + FORMS_OF_A_VISIT);
  const limits = [
    {
      what: "Stripe: calls of one kind, such as setup intents",
      use: "1 to create, up to 2 to read",
      limit: `${LIMITS.stripeCallsPerSecondOfOneKind} a second`,
      aSecond: LIMITS.stripeCallsPerSecondOfOneKind / 3,
    },
    {
      what: "Stripe, mail and console: calls together, if all were Stripe's",
      use: `${shown(calls)} calls`,
      limit: `${LIMITS.stripeCallsPerSecond} a second`,
      aSecond: LIMITS.stripeCallsPerSecond / calls,
    },
    {
      what: "D1: one statement at a time, each of a millisecond",
      use: `${shown(statements)} statements`,
      limit: `${shown(1000 / LIMITS.statementMilliseconds)} a second`,
      aSecond: 1000 / LIMITS.statementMilliseconds / statements,
    },
    {
      what: "`SIGNUP_TOTAL_RATE_LIMIT`, at one of Cloudflare's locations",
      use: "1.5 forms",
      limit: `${shown(formsPerMinute)} a minute`,
      aSecond: formsPerMinute / 60 / (1 + REFUSED_FORMS_OF_A_SIGN_UP),
    },
    {
      what: "Workers Logs",
      use: `${shown(lines)} lines, its share of the visits with it`,
      limit: `${millions(LIMITS.logLinesPerDay)} a day`,
      aSecond: LIMITS.logLinesPerDay / SECONDS_A_DAY / lines,
    },
  ].sort((one, other) => one.aSecond - other.aSecond);
  const days = LIMITS.databaseBytes / api.bytes / SIGN_UPS_A_DAY;
  return table(
    ["Limit", "One sign-up uses", "There are", "Enough for"],
    [
      ...limits.map(({ what, use, limit, aSecond }) => [
        what,
        use,
        limit,
        `${shown(aSecond, 1)} a second, ${millions(aSecond * SECONDS_A_DAY)} a day`,
      ]),
      [
        "D1: size of a database",
        `${shown(api.bytes / 1000, 1)} KB`,
        `${millions(LIMITS.databaseBytes)} bytes`,
        `${millions(LIMITS.databaseBytes / api.bytes)} subscriptions: ${shown(days)} days of ${shown(SIGN_UPS_A_DAY)}`,
      ],
    ],
  );
}

/** Puts each table between its marks in docs/capacity.md. */
export async function writeDocument(tables: Record<string, string>): Promise<void> {
  const path = join(root, "docs/capacity.md");
  let text = await readFile(path, "utf8");
  for (const [mark, content] of Object.entries(tables)) {
    const [start, end] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
    const [before, rest] = text.split(start);
    const after = rest?.split(end)[1];
    if (before === undefined || after === undefined) throw new Error(`docs/capacity.md lacks ${start} … ${end}`);
    text = `${before}${start}\n${content}\n${end}${after}`;
  }
  await writeFile(path, text);
}

function table(head: string[], lines: string[][]): string {
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function shown(value: number, digits = 0): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: digits });
}

function millions(value: number): string {
  return value < 1e6 ? shown(value) : `${shown(value / 1e6, value < 10e6 ? 1 : 0)} million`;
}

function dollars(value: number): string {
  return value.toLocaleString("en-US", { style: "currency", currency: "USD" });
}

/** The entries of an object whose keys are all known. */
function entriesOf<Key extends string, Value>(record: Record<Key, Value>): [Key, Value][] {
  return Object.entries(record) as [Key, Value][];
}
