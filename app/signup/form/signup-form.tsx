import { useForm } from "@conform-to/react";
import { Form, useLocation } from "@remix-run/react";
import { type FocusEvent, type FormEvent, useEffect, useRef } from "react";
import { billingFields, contactFields, type FormField } from "../../contract/fields/form-fields";
import { findPlan } from "../../pricing/plans/plan-list";
import { Button } from "../../ui/controls/button";
import { ErrorSummary } from "../../ui/controls/error-summary";
import { NoticeRegion } from "../../ui/controls/notice";
import { useAnnouncement, wordsOf } from "../announcer";
import { prefetchStripeElements } from "../card/card-script";
import { COOKIE_SET_FIELD, planPath } from "../form-schema";
import { PROCESSING } from "../notices";
import { SignupNotice } from "../signup-notice";
import type { SignupReply } from "../steps";
import { summaryOf, useFieldErrors } from "./field-errors";
import {
  formatBeforeSending,
  formatEarlierInput,
  formatOnLeaving,
  formatWhileTyping,
  isValidation,
} from "./format-fields";
import { useKeepTypedAtHydration } from "./keep-typed-at-hydration";
import { PlanChoice, type PlanChoiceProps } from "./plan-choice";
import { type PlanOnPage, TrialOffer } from "./plan-summary";
import { RefusedSubmit, useRefusal } from "./refused-submit";
import { FORM_ID, fieldId, SignupField } from "./signup-field";
import { TurnstileWidget } from "./turnstile-widget";
import { validateInBrowser } from "./validate-in-browser";

interface SignupFormProps {
  packageId: string;
  plan: PlanOnPage;
  choice: PlanChoiceProps | undefined;
  draft: Record<string, string> | undefined;
  reply: SignupReply | undefined;
  submitting: boolean;
}

const fields: FormField[] = Object.values({ ...contactFields, ...billingFields });
const except = fields.some(({ required }) => required === false) ? " unless marked as optional" : "";

export function SignupForm({ packageId, plan, choice, draft, reply, submitting }: SignupFormProps) {
  const [form] = useForm({
    id: FORM_ID,
    lastResult: reply?.form,
    defaultValue: draft,
    shouldValidate: "onSubmit",
    shouldRevalidate: "onInput",
    onValidate: ({ formData }) => validateInBrowser(formData),
  });
  useKeepTypedAtHydration(FORM_ID);
  useEffect(() => {
    warmUpSchema();
    formatEarlierInput();
  }, []);
  const { pathname } = useLocation();
  const listed = findPlan(plan.packageId, plan.terms.price_cents);
  // Read all fields at once, because one field's metadata costs Conform just as much.
  const { allErrors, initialValue } = form;
  const planProblem = choice?.problem && reply?.planProblem;
  const { errors, onInput: onChange } = useFieldErrors(reply, { fromSchema: allErrors, planProblem });
  const isPlanInvalid = errors.package_id !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per chosen plan
  useEffect(() => {
    if (isPlanInvalid) form.validate({ name: "package_id" });
  }, [packageId]);
  useAnnouncement(submitting ? wordsOf(PROCESSING) : undefined);
  const { refusal, summaryRef, ...refused } = useRefusal(isPlanInvalid);
  function onSubmit(event: FormEvent<HTMLFormElement>) {
    if (isValidation(event)) return form.onSubmit(event);
    formatBeforeSending(event.currentTarget);
    refused.onSubmit(event, () => form.onSubmit(event));
  }
  const changed = useRef(new Set<string>());
  function onInput(event: FormEvent<HTMLFormElement>) {
    refused.onInput();
    if (event.target instanceof HTMLInputElement) changed.current.add(event.target.name);
    formatWhileTyping(event);
    onChange(event);
  }
  /** Leaves a field alone that a visitor only passes, which Conform's `onBlur` would judge. */
  function onBlur(event: FocusEvent<HTMLFormElement>) {
    formatOnLeaving(event);
    const { name } = event.target;
    if (changed.current.delete(name)) form.validate({ name });
  }
  const fieldOf = ([name, field]: [string, FormField]) => (
    <SignupField key={name} {...{ name, field, errors }} defaultValue={initialValue?.[name]} />
  );
  // A notice's field messages appear only under the fields.
  const summary = summaryOf(isPlanInvalid ? errors : (reply?.form?.error ?? {}));

  return (
    <Form
      method="post"
      // Post to the plan's path, even if the query named the plan. Drop the query, because its values must not appear in the page.
      action={planPath(packageId) ?? pathname}
      id={form.id}
      onSubmit={onSubmit}
      onFocus={prefetchStripeElements}
      onInput={onInput}
      onCompositionEnd={formatWhileTyping}
      onBlur={onBlur}
      noValidate
      preventScrollReset
    >
      {summary.length > 0 && <ErrorSummary errors={summary} sectionRef={summaryRef} />}
      <input type="hidden" name="package_id" id={fieldId("package_id")} value={packageId} />
      {Object.entries({ ...plan.terms, price_cents: listed?.shownPriceCents ?? undefined }).map(
        ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={String(value)} />,
      )}
      {reply?.isCookieSet && <input type="hidden" name={COOKIE_SET_FIELD} />}
      <p className="text-sm text-muted">{`All fields are required${except}.`}</p>
      {choice && <PlanChoice {...choice} />}

      <fieldset className="field-group">
        <legend>Contact Information</legend>
        <div className="field-grid">{Object.entries<FormField>(contactFields).map(fieldOf)}</div>
      </fieldset>

      <fieldset className="field-group">
        <legend>Billing Address</legend>
        <div className="field-grid">{Object.entries<FormField>(billingFields).map(fieldOf)}</div>
      </fieldset>

      <div className="submit-area">
        <p className={`text-sm text-muted ${submitting ? "invisible" : ""}`}>
          By continuing you accept the{" "}
          <a className="text-link" href="/terms">
            Terms
          </a>{" "}
          and the{" "}
          <a className="text-link" href="/privacy">
            Privacy Policy
          </a>
          .
        </p>
        <NoticeRegion>{submitting && <SignupNotice notice={PROCESSING} />}</NoticeRegion>
        {refusal && (
          <RefusedSubmit
            key={refusal.attempt}
            errors={{ ...allErrors, package_id: errors.package_id }}
            hasMovedFocus={refusal.hasMovedFocus || isPlanInvalid}
          />
        )}
      </div>
      <TrialOffer {...plan} />
      {reply?.challenge !== undefined && <TurnstileWidget reply={reply} siteKey={reply.challenge} />}
      <Button type="submit" size="lg" className="mt-4 w-full" busy={submitting}>
        {submitting ? "Processing..." : "Payment"}
      </Button>
    </Form>
  );
}

/** Runs the schema once in a task of its own, because its first run is slow. */
function warmUpSchema(): void {
  setTimeout(() => validateInBrowser(new FormData()));
}
