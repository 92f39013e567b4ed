import { useForm } from "@conform-to/react";
import { Form, useLocation } from "@remix-run/react";
import { type FormEvent, useEffect } from "react";
import { billingFields, contactFields, type FormField } from "../../contract/fields/form-fields";
import { findPlan } from "../../pricing/plans/plan-list";
import { Button } from "../../ui/controls/button";
import { ErrorSummary } from "../../ui/controls/error-summary";
import { LiveRegion } from "../../ui/controls/notice";
import { prefetchStripeElements } from "../card/card-script";
import { planPath, SHOWN_PRICE_FIELD } from "../form-schema";
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
  /** The plan whose terms the page shows. */
  plan: PlanOnPage;
  /** Missing if the page's link already has a plan. */
  choice: PlanChoiceProps | undefined;
  /** Earlier values, without the passwords. */
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
    shouldValidate: "onBlur",
    shouldRevalidate: "onInput",
    onValidate: ({ formData }) => validateInBrowser(formData),
  });
  useKeepTypedAtHydration(FORM_ID);
  useEffect(() => {
    warmUpSchema();
    formatEarlierInput();
  }, []);
  const { pathname } = useLocation();
  const listed = findPlan(plan.packageId, plan.shownPriceCents);
  // Read all fields at once, because one field's metadata costs Conform just as much.
  const { allErrors, initialValue } = form;
  const planProblem = choice?.problem && reply?.planProblem;
  const { errors, onInput: onChange } = useFieldErrors(reply, { fromSchema: allErrors, planProblem });
  const isPlanInvalid = errors.package_id !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per chosen plan
  useEffect(() => {
    if (isPlanInvalid) form.validate({ name: "package_id" });
  }, [packageId]);
  const { refusal, summaryRef, ...refused } = useRefusal(isPlanInvalid);
  function onSubmit(event: FormEvent<HTMLFormElement>) {
    if (isValidation(event)) return form.onSubmit(event);
    formatBeforeSending(event.currentTarget);
    refused.onSubmit(event, () => form.onSubmit(event));
  }
  function onInput(event: FormEvent<HTMLFormElement>) {
    refused.onInput();
    formatWhileTyping(event);
    onChange(event);
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
      onBlur={formatOnLeaving}
      noValidate
      preventScrollReset
    >
      {summary.length > 0 && <ErrorSummary errors={summary} sectionRef={summaryRef} />}
      <input type="hidden" name="package_id" id={fieldId("package_id")} value={packageId} />
      {listed?.shownPriceCents && <input type="hidden" name={SHOWN_PRICE_FIELD} value={listed.shownPriceCents} />}
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
        <LiveRegion role="status">
          {submitting && <SignupNotice notice={PROCESSING} />}
          {refusal && (
            <RefusedSubmit
              key={refusal.attempt}
              errors={{ ...allErrors, package_id: errors.package_id }}
              hasMovedFocus={refusal.hasMovedFocus || isPlanInvalid}
            />
          )}
        </LiveRegion>
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
