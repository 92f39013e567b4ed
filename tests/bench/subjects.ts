import { fields } from "../support/site-visitor";
import { startBareForwarder, startConstant, startUpstreamWorkerd } from "./controls";
import { type Course, type Load, measurePair } from "./load";
import type { Figure, Row } from "./report";
import { startSiteWorkerd } from "./site-worker";
import { ratioOf } from "./statistics";
import type { RunningWorkerd } from "./workerd";

/** A request whose cost is measured, and what it may cost beside its control. */
interface Subject {
  what: string;
  path: string;
  status: number;
  /** Makes a form to post, in place of a GET. Its control is a bare forwarder, that of a GET a constant. */
  form?: (siteUrl: string) => Promise<string>;
  /** Of a GET: its CPU time as a multiple of the control's. Without a limit it is only shown. */
  cpuAtMost?: number;
  /** Of a post: its requests in a second as a part of the control's. */
  rateAtLeast?: number;
}

/** What the table shows; a line here is all that another request needs. */
export const subjects: Subject[] = [
  { what: "Home page", path: "/", status: 200, cpuAtMost: 1.5 },
  { what: "Form page", path: `/subscription/${fields.package_id}`, status: 200 },
  { what: "Not found", path: "/no-such-page", status: 404 },
  { what: "Sign-up post", path: "/subscription", status: 303, form: signUpForm, rateAtLeast: 0.5 },
];

/** Loads a fresh site and a fresh control in turn. */
export async function measureSubject(subject: Subject, course: Course): Promise<Row> {
  const { path, status: expects, form: formFor } = subject;
  const running: RunningWorkerd[] = [];
  const held = async (starting: Promise<RunningWorkerd>) => {
    const server = await starting;
    running.push(server);
    return server;
  };
  try {
    const upstream = formFor && (await held(startUpstreamWorkerd()));
    const site = await held(startSiteWorkerd({ ...(upstream && { subscriptionApiUrl: upstream.url }) }));
    const control = await held(upstream ? startBareForwarder(upstream.url) : startConstant(site.url + path));
    const form = await formFor?.(site.url);
    const target = { path, form, expects };
    return rowOf(subject, await measurePair({ server: site, ...target }, { server: control, ...target }, course));
  } finally {
    await Promise.all(running.map((server) => server.dispose()));
  }
}

function rowOf({ what, form, cpuAtMost, rateAtLeast }: Subject, { site, control }: { site: Load; control: Load }): Row {
  const figures = ({ cpuPerRequest, requestsPerSecond }: Load): Figure[] => [
    [cpuPerRequest, "µs CPU"],
    [requestsPerSecond, "requests/s"],
  ];
  return {
    what: `${what}, ${form ? "requests/s beside a bare forwarder" : "CPU beside a constant"}`,
    site: figures(site),
    control: figures(control),
    judged: form
      ? { value: ratioOf(site.requestsPerSecond, control.requestsPerSecond), unit: "×", atLeast: rateAtLeast }
      : { value: ratioOf(site.cpuPerRequest, control.cpuPerRequest), unit: "×", atMost: cpuAtMost },
  };
}

async function signUpForm(siteUrl: string): Promise<string> {
  const page = await (await fetch(`${siteUrl}/subscription`)).text();
  const nonce = /name="form_nonce" value="([^"]+)"/.exec(page)?.[1] ?? "";
  return new URLSearchParams({ ...fields, form_nonce: nonce }).toString();
}
