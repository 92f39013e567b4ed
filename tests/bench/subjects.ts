import { fields } from "../support/visitors/site-visitor";
import { type Course, type Load, measurePair, type Target } from "./load";
import type { Figure, Row } from "./report";
import { startBareForwarder, startConstant, startUpstreamWorkerd } from "./servers/controls";
import { startSiteWorkerd } from "./servers/site-worker";
import { startStockRemix } from "./servers/stock-remix";
import type { RunningWorkerd } from "./servers/workerd";
import { ratioOf } from "./statistics";

/** A request whose cost is measured, and what it may cost beside its control. */
interface Subject {
  what: string;
  path: string;
  status: number;
  method?: "DELETE";
  /** Makes a form to post, in place of a GET. */
  form?: (siteUrl: string) => Promise<string>;
  beside: Control;
  /** CPU time as a multiple of the control's. Without a limit it is only shown. */
  cpuAtMost?: number;
  /** Requests in a second as a part of the control's. */
  rateAtLeast?: number;
}

type Control = "a constant" | "a bare forwarder" | "stock Remix" | "an accepted post by script";

const PLAN = `/subscription/${fields.package_id}`;
const constant = { beside: "a constant" as const };

/** What the table shows; a line here is all that another request needs. */
export const subjects: Subject[] = [
  { what: "Home page", path: "/", status: 200, ...constant, cpuAtMost: 1.5 },
  { what: "Form page", path: PLAN, status: 200, ...constant, cpuAtMost: 2 },
  { what: "Form page of an unknown plan", path: "/subscription/no-plan", status: 200, ...constant, cpuAtMost: 2 },
  { what: "Data of the form page", path: `${PLAN}.data`, status: 200, ...constant },
  { what: "Not found", path: "/no-such-page", status: 404, ...constant, cpuAtMost: 1.5 },
  { what: "Method not allowed", path: "/pricing", method: "DELETE", status: 405, ...constant, cpuAtMost: 1.5 },
  { what: "robots.txt", path: "/robots.txt", status: 200, ...constant, cpuAtMost: 1.5 },
  { what: "Health", path: "/health", status: 200, ...constant },
  { what: "Form that comes back", path: PLAN, status: 422, form: wrongForm, beside: "stock Remix", cpuAtMost: 1.2 },
  {
    what: "Sign-up post",
    path: "/subscription",
    status: 303,
    form: signUpForm,
    beside: "a bare forwarder",
    rateAtLeast: 0.5,
  },
  {
    what: "Refused post, by script",
    path: `${PLAN}.data`,
    status: 422,
    form: wrongForm,
    beside: "an accepted post by script",
    cpuAtMost: 1,
  },
];

/** Loads a fresh site and a fresh control in turn. */
export async function measureSubject(subject: Subject, course: Course): Promise<Row> {
  const { path, method, status: expects, form: formFor, beside } = subject;
  const running: RunningWorkerd[] = [];
  const held = async (starting: Promise<RunningWorkerd>) => {
    const server = await starting;
    running.push(server);
    return server;
  };
  try {
    const upstream = formFor && (await held(startUpstreamWorkerd()));
    const site = await held(startSiteWorkerd({ ...(upstream && { subscriptionApiUrl: upstream.url }) }));
    const form = await formFor?.(site.url);
    const target = { server: site, path, method, form, expects };
    const control = async (): Promise<Target> => {
      switch (beside) {
        case "a constant":
          return { ...target, server: await held(startConstant(await answerOf(target))) };
        case "a bare forwarder":
          return { ...target, server: await held(startBareForwarder(upstream?.url ?? "")) };
        case "stock Remix":
          return { ...target, server: await held(startStockRemix(await (await answerOf(target)).text(), expects)) };
        case "an accepted post by script":
          // Remix answers a redirect of `.data` with 202.
          return { ...target, form: await signUpForm(site.url), expects: 202 };
      }
    };
    return rowOf(subject, await measurePair(target, await control(), course));
  } finally {
    await Promise.all(running.map((server) => server.dispose()));
  }
}

function answerOf({ server, path, method, form }: Target): Promise<Response> {
  return fetch(server.url + path, {
    ...(method && { method }),
    ...(form !== undefined && {
      method: "POST",
      body: form,
      headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: server.url },
    }),
  });
}

function rowOf(
  { what, beside, cpuAtMost, rateAtLeast }: Subject,
  { site, control }: { site: Load; control: Load },
): Row {
  const figures = ({ cpuPerRequest, requestsPerSecond }: Load): Figure[] => [
    [cpuPerRequest, "µs CPU"],
    [requestsPerSecond, "requests/s"],
  ];
  return {
    what: `${what}, ${rateAtLeast === undefined ? "CPU" : "requests/s"} beside ${beside}`,
    site: figures(site),
    control: figures(control),
    judged:
      rateAtLeast === undefined
        ? { value: ratioOf(site.cpuPerRequest, control.cpuPerRequest), unit: "×", atMost: cpuAtMost }
        : { value: ratioOf(site.requestsPerSecond, control.requestsPerSecond), unit: "×", atLeast: rateAtLeast },
  };
}

async function wrongForm(): Promise<string> {
  return new URLSearchParams({ ...fields, email: "nobody", city: "", zipCode: "x" }).toString();
}

async function signUpForm(siteUrl: string): Promise<string> {
  const page = await (await fetch(`${siteUrl}/subscription`)).text();
  const nonce = /name="form_nonce" value="([^"]+)"/.exec(page)?.[1] ?? "";
  return new URLSearchParams({ ...fields, form_nonce: nonce }).toString();
}
