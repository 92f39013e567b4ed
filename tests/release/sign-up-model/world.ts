import type { FaultyProxy } from "../../support/faults/faulty-proxy";
import type { RunningWorker } from "../../support/workers/workers";
import { Backend, Device, type Page, type SignUp } from "./model";

export const PLANS = [
  { id: "5a4a55f1-8a3c-4b0e-9d8e-6d2f0c1b7a10", name: "MINI" },
  { id: "c7e2d9a4-61b8-4f0a-a3d5-1e8f5b90c430", name: "STANDARD" },
] as const;

export const pathOf = (plan: number) => `/subscription/${PLANS[plan]?.id}`;
export const deviceOf = (tab: number) => Math.floor(tab / 2);
export const DECLINED = "4000000000000002";
export const WORKS = "4242424242424242";

/** The model's tab: what its page was when it was opened. */
export interface ModelTab {
  plan: number;
  page: Page | undefined;
  /** The form's nonce, by the number of the page. */
  form: number;
  sent?: { key: string; form: number; plan: number; email: number; company: string; madeFrom?: SignUp | undefined };
}

export class Model {
  readonly backend = new Backend();
  readonly devices = [new Device(), new Device()];
  readonly tabs: ModelTab[] = Array.from({ length: 4 }, () => ({ plan: 0, page: undefined, form: 0 }));
  forms = 0;
}

/** What the steps are made of in reality. */
export interface World {
  driver: Driver;
  emails: string[];
  password: string;
  api: RunningWorker;
  stripe: RunningWorker;
  /** In front of the API, and of Stripe for the site. */
  apiProxy: FaultyProxy;
  stripeProxy: FaultyProxy;
}

/** What visitors do, in two tabs on each of two devices, through nothing but what their pages offer. */
export interface Driver {
  /** Whether the card step's script asks Stripe when its page is opened. */
  runsScripts: boolean;
  open(tab: number, path: string): Promise<void>;
  reload(tab: number): Promise<void>;
  /** Fills in the form of the page, where there is something to fill in, and sends it. */
  send(tab: number, values: Record<string, string>): Promise<void>;
  press(tab: number, button: string): Promise<void>;
  follow(tab: number, link: string): Promise<void>;
  /** Enters a card so often, and goes where its outcome leads, not before the API knows of it. */
  pay(tab: number, card: string, times: number, isKnown: () => Promise<void>): Promise<void>;
  /** Waits until a page's script has no more to do before its visitor can go on. */
  settles(tab: number): Promise<void>;
  html(tab: number): Promise<string>;
  keepCookies(device: number, keeps: boolean): Promise<void>;
  loseCookies(device: number): Promise<void>;
}
