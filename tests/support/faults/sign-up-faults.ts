import { validRequest } from "../visitors/visitor";
import type { DatabaseCall, DatabaseFault } from "./faulty-database";
import type { Fault, PassingRequest } from "./faulty-proxy";

/*
 * Faults for sign-ups that run at the same time: every statement and every request is a step of the sign-up that it
 * belongs to, and each sign-up has one step that fails.
 */

/** Where a sign-up fails: at the nth occurrence of a step, in the nth way that such a step can. */
export type PlannedFault = { step: Step; variant: number };

/** A step, such as `POST /v1/customers`, without ids and lengths of lists, and how often it came before. */
export type Step = { kind: keyof typeof VARIANTS; what: string; occurrence: number };

const VARIANTS = {
  database: ["refuse", "lose-answer"],
  stripe: ["refuse", "lose-answer", "409", "429", "500-before", "500-after"],
  message: ["refuse", "lose-answer", "500-before", "500-after"],
  webhook: ["refuse", "lose-answer"],
} as const satisfies Record<string, readonly Fault[]>;

/** The stripe package itself tries a call three times. */
const TRIES = 3;

/** What tells one sign-up from another in statements and requests: its number, and ids that came with it. */
const TOKENS = /signup-\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:cus|seti|sub|evt|pm)_[A-Za-z0-9]+/g;

type Progress = { steps: Step[]; failed: string | undefined; triesToFail: number };

/** The e-mail and the idempotency key of the nth sign-up. */
export const emailOf = (index: number) => `signup-${index}@example.com`;
export const keyOf = (index: number) => `signup-${index}`;

/** Every fault that can happen at these steps. */
export function allFaults(steps: Step[]): PlannedFault[] {
  return steps.flatMap((step) => VARIANTS[step.kind].map((_, variant) => ({ step, variant })));
}

/** @param planOf the fault of the nth sign-up; undefined for none */
export function signUpFaults(planOf: (index: number) => PlannedFault | undefined) {
  const owners = new Map<string, number>();
  const progress = new Map<number, Progress>();

  /** The sign-ups that a text is about. When it is one, the other ids in the text are then known to be that one's. */
  function ownersOf(text: string): number[] {
    const tokens = (text.match(TOKENS) ?? []).filter((token) => token !== validRequest.package_id);
    const found = new Set(
      tokens.flatMap((token) => (token.startsWith("signup-") ? [Number(token.slice(7))] : (owners.get(token) ?? []))),
    );
    const [owner] = found;
    if (owner !== undefined && found.size === 1) for (const token of tokens) owners.set(token, owner);
    return [...found];
  }

  function stepOf(owner: number, kind: Step["kind"], text: string): Fault | undefined {
    const state = progress.get(owner) ?? { steps: [], failed: undefined, triesToFail: 0 };
    progress.set(owner, state);
    const plan = planOf(owner);
    const variants: readonly Fault[] = VARIANTS[kind];
    const what = text.replaceAll(TOKENS, "…").replaceAll(/\(\?(?:, \?)*\)/g, "(?)");
    if (state.failed === what && state.triesToFail > 0) {
      state.triesToFail -= 1;
      return plan && variants[plan.variant];
    }
    const occurrence = state.steps.filter((step) => step.what === what).length;
    state.steps.push({ kind, what, occurrence });
    if (plan?.step.what !== what || plan.step.occurrence !== occurrence) return undefined;
    state.failed = what;
    state.triesToFail = kind === "stripe" ? TRIES - 1 : 0;
    return variants[plan.variant];
  }

  function faultOf(text: string, kind: Step["kind"], what: string): Fault | undefined {
    return ownersOf(text)
      .map((owner) => stepOf(owner, kind, what))
      .find((fault) => fault !== undefined);
  }

  return {
    ofDatabase({ sql, values }: DatabaseCall): DatabaseFault | undefined {
      const fault = faultOf(JSON.stringify(values), "database", sql);
      return fault === "refuse" || fault === "lose-answer" ? fault : undefined;
    },
    ofRequest({ method, path, headers, body }: PassingRequest): Fault | undefined {
      const text = JSON.stringify([path, body, headers]);
      return faultOf(text, path.startsWith("/v1/") ? "stripe" : "message", `${method} ${path}`);
    },
    ofWebhook({ body }: PassingRequest): Fault | undefined {
      return faultOf(body, "webhook", String(JSON.parse(body).type));
    },
    /** Notes whose the ids in an answer are. */
    learn({ path, body }: PassingRequest, answer: string): void {
      ownersOf(JSON.stringify([path, body, answer]));
    },
    /** What the nth sign-up went through. */
    stepsOf: (index: number) => progress.get(index)?.steps ?? [],
    hasFailed: (index: number) => progress.get(index)?.failed !== undefined,
  };
}
