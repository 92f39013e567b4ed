import type { RunningWorker } from "../../support/workers/workers";
import type { FaultyProxy } from "../faulty-proxy";
import type { Shown } from "./model-page";

export const PLANS = ["5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10", "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430"] as const;
export const DECLINED = "4000000000000002";
export const WORKS = "4242424242424242";

export const pathOf = (plan: string) => `/subscription/${plan}`;
/** Two tabs on each of two devices. */
export const deviceOf = (tab: number) => Math.floor(tab / 2);

export interface Tab {
  /** What it showed last; undefined before it was opened. */
  shown?: Shown;
  /** Whose sign-up a page is about that does not say so: after a link, or a return without a session. */
  email?: string;
  /** Whether a form was sent in it. */
  sent?: true;
}

/** The servers, which all sequences of a process share. */
export interface Servers {
  api: RunningWorker;
  stripe: RunningWorker;
  site: RunningWorker;
  /** In front of the API, and of Stripe for the site. */
  apiProxy: FaultyProxy;
  stripeProxy: FaultyProxy;
}

/** One sequence. */
export interface World<D extends Driver = Driver> extends Servers {
  driver: D;
  emails: string[];
  tabs: Tab[];
  /** Of each device: the tab whose page is as new as its cookies. */
  newest: (number | undefined)[];
  keepsCookies: boolean[];
  /** Email addresses whose trial has begun. */
  trials: Set<string>;
  /** Declined cards, by setup intent. */
  declined: Map<string, number>;
}

/** What visitors do, through nothing but what their pages offer. */
export interface Driver {
  /** Whether the page's script asks Stripe when a card step is opened. */
  runsScripts: boolean;
  open(tab: number, path: string): Promise<void>;
  reload(tab: number): Promise<void>;
  /** Fills in the form and sends it. */
  send(tab: number, values: Record<string, string>): Promise<void>;
  press(tab: number, button: string): Promise<void>;
  follow(tab: number, link: string): Promise<void>;
  enterCard(tab: number, number: string): Promise<void>;
  /** Does what the page's script does once a card is set up, or cannot be any more. */
  proceed(tab: number): Promise<void>;
  /** What the tab shows, once its script has no more to do before the visitor can go on. */
  look(tab: number): Promise<Shown>;
  keepCookies(device: number, keeps: boolean): Promise<void>;
  loseCookies(device: number): Promise<void>;
  dispose(): Promise<void>;
}

export function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`There is no item ${index}`);
  return item;
}
