import { useForm } from "@conform-to/react";
import { Form, useLocation } from "@remix-run/react";
import { type ComponentProps, type FormEvent, Fragment, useEffect, useRef, useState } from "react";
import { company } from "../../company";
import { billingFields, contactFields, type FormField } from "../../contract/fields/form-fields";
import { findPlan } from "../../pricing/plans/plan-list";
import { Button } from "../../ui/controls/button";
import { ErrorSummary } from "../../ui/controls/error-summary";
import { Field } from "../../ui/controls/field";
import { LiveRegion } from "../../ui/controls/notice";
import { mailTo } from "../../ui/mail-to";
import { prefetchStripeElements } from "../card/card-script";
import { FIELD_NAMES, planPath, SHOWN_PRICE_FIELD } from "../form-schema";
import { PROCESSING } from "../notices";
import { SignupNotice } from "../signup-notice";
import type { SignupReply } from "../steps";
import {
  formatBeforeSending,
  formatEarlierInput,
  formatOnLeaving,
  formatWhileTyping,
  isValidation,
} from "./format-fields";
import { useKeepTypedAtHydration } from "./keep-typed-at-hydration";
import { PasswordField } from "./password-field";
import { PLAN_CHOICE_ID, PlanChoice, type PlanChoiceProps } from "./plan-choice";
import { type PlanOnPage, TrialOffer } from "./plan-summary";
import { RefusedSubmit } from "./refused-submit";
import { TurnstileWidget } from "./turnstile-widget";
import { validateInBrowser } from "./validate-in-browser";

export const FORM_ID = "signup";

const BEHAVIOR: Partial<Record<string, Partial<ComponentProps<typeof Field>>>> = {
  full_name: { dir: "auto" },
  company_name: { dir: "auto" },
  address: { className: "sm:col-span-2", dir: "auto" },
  city: { dir: "auto" },
  state: { dir: "auto" },
  zipCode: {
    remedy: (
      <span>
        Another format?{" "}
        <a className="text-link" href={mailTo(company.salesEmail)}>
          Contact sales
        </a>
        .
      </span>
    ),
  },
  country: { dir: "auto" },
};

const idOf = (name: string) => `${FORM_ID}-${name}`;

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
  const refused = useRefusedFields(reply);
  const errors: Record<string, string[] | undefined> = { ...refused.messages, ...allErrors };
  // The message stays until the visitor chooses another plan.
  if (choice?.problem && reply?.planProblem) errors.package_id = [reply.planProblem];
  const summaryRef = useRef<HTMLElement>(null);
  const [refusal, setRefusal] = useState<Refusal>();
  // The package ID is hidden, so the summary gets the focus.
  const isPlanInvalid = errors.package_id !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per chosen plan
  useEffect(() => {
    if (isPlanInvalid) form.validate({ name: "package_id" });
  }, [packageId]);
  useEffect(() => {
    if (!refusal || !isPlanInvalid) return;
    summaryRef.current?.focus({ preventScroll: true });
    // Shows the heading even if the summary is taller than the window.
    summaryRef.current?.scrollIntoView({ behavior: "instant" });
  }, [refusal, isPlanInvalid]);
  function onSubmit(event: FormEvent<HTMLFormElement>) {
    if (isValidation(event)) return form.onSubmit(event);
    formatBeforeSending(event.currentTarget);
    const focused = document.activeElement;
    form.onSubmit(event);
    const hasMovedFocus = document.activeElement !== focused;
    setRefusal(event.defaultPrevented ? { attempt: (refusal?.attempt ?? 0) + 1, hasMovedFocus } : undefined);
  }
  function onInput(event: FormEvent<HTMLFormElement>) {
    setRefusal(undefined);
    formatWhileTyping(event);
    refused.onInput(event);
  }
  const controlOf = ([name, { rule: _, format: __, ...input }]: [string, FormField]) => {
    const props = {
      ...input,
      id: idOf(name),
      name,
      errors: errors[name],
    };
    if (name === "password") {
      const { autoComplete, passwordrules } = input;
      const again = { id: idOf("confirmPassword"), name: "confirmPassword", label: "Confirm Password" };
      return (
        <Fragment key={name}>
          <PasswordField {...props} />
          <PasswordField {...again} {...{ autoComplete, passwordrules }} errors={errors.confirmPassword} />
        </Fragment>
      );
    }
    return <Field key={name} {...props} defaultValue={initialValue?.[name]} {...BEHAVIOR[name]} />;
  };
  // A notice's field messages appear only under the fields.
  const summarized = isPlanInvalid ? errors : (reply?.form?.error ?? {});
  const summary = FIELD_NAMES.flatMap((name) =>
    (summarized[name] ?? []).map((message) => ({
      fieldId: name === "package_id" ? PLAN_CHOICE_ID : idOf(name),
      message,
    })),
  );

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
      <input type="hidden" name="package_id" id={idOf("package_id")} value={packageId} />
      {listed?.shownPriceCents && <input type="hidden" name={SHOWN_PRICE_FIELD} value={listed.shownPriceCents} />}
      <p className="text-sm text-muted">{`All fields are required${except}.`}</p>
      {choice && <PlanChoice {...choice} />}

      <fieldset className="field-group">
        <legend>Contact Information</legend>
        <div className="field-grid">{Object.entries<FormField>(contactFields).map(controlOf)}</div>
      </fieldset>

      <fieldset className="field-group">
        <legend>Billing Address</legend>
        <div className="field-grid">{Object.entries<FormField>(billingFields).map(controlOf)}</div>
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

/** The browser did not send the form. */
interface Refusal {
  attempt: number;
  hasMovedFocus: boolean;
}

/** Fields that the API refused, until the visitor changes them. */
function useRefusedFields(reply: SignupReply | undefined) {
  const [changed, setChanged] = useState<SignupReply>();
  const messages: Partial<Record<string, string[]>> = (changed !== reply && reply?.notice?.fields) || {};
  function onInput({ target }: FormEvent<HTMLFormElement>) {
    if (target instanceof HTMLInputElement && messages[target.name]) setChanged(reply);
  }
  return { messages, onInput };
}

/** Runs the schema once in a task of its own, because its first run is slow. */
function warmUpSchema(): void {
  setTimeout(() => validateInBrowser(new FormData()));
}
