import { Form, useLocation } from "@remix-run/react";
import { company } from "../../company";
import { cardName } from "../../contract/card-name";
import { chargeDay, plusTax } from "../../contract/charge-wording";
import { counted } from "../../contract/counted";
import { utcDay } from "../../contract/dates";
import { formatPhone } from "../../contract/fields/phone";
import { chargedAmount } from "../../contract/money";
import { REMINDER_DAYS, reminderDate, TRIAL_DAYS, trialEndOf } from "../../contract/trial";
import { describePrice, findPlan } from "../../pricing/plans/plan-list";
import { Button, ButtonLink } from "../../ui/controls/button";
import { LiveRegion } from "../../ui/controls/notice";
import { mailTo } from "../../ui/mail-to";
import { HowToCancel } from "../../ui/trial-timeline";
import { useSite } from "../../ui/use-site";
import type { Notice } from "../notices";
import { FailureNotice } from "../signup-notice";
import type { DoneStepData } from "../steps";
import { SuccessNotices } from "./success-notices";

export function SuccessStep({ data, failure }: { data: DoneStepData; failure: Notice | undefined }) {
  const {
    key,
    packageId,
    agreedPriceCents,
    details: typed,
    card,
    startedAt,
    trialEnd = trialEndOf(startedAt),
    requestId,
    flash,
  } = data;
  const { pathname } = useLocation();
  const site = useSite();
  const plan = findPlan(packageId, agreedPriceCents);
  const details: [string, string][] = [];
  if (typed) {
    const { company_name = "", full_name = "", email = "", phone = "" } = typed;
    details.push(["Company", company_name], ["Contact", full_name], ["Email", email], ["Phone", formatPhone(phone)]);
  }
  if (plan) details.push(["Plan", `${plan.title}, ${describePrice(plan)} after the trial`]);
  details.push(["Trial ends", utcDay(trialEnd)]);
  if (plan?.shownPriceCents)
    details.push([
      "First payment",
      `${plusTax(chargedAmount(plan.shownPriceCents), site.automaticTax)}, ${chargeDay(trialEnd)}`,
    ]);
  if (card) details.push(["Card", cardName(card)]);
  return (
    <>
      <LiveRegion role="status" className="step-status">
        {flash && <SuccessNotices />}
      </LiveRegion>
      <div className="step-main">
        <FailureNotice notice={failure} />
        <p className="text-lg">
          {`Thank you for your subscription. Your ${counted(TRIAL_DAYS, "day")} trial period has been started.`}
        </p>
        <ButtonLink href={site.consoleUrl} size="lg" className="mt-5 w-fit">
          Open the Customer Console
        </ButtonLink>
        <div className="mt-8 grid items-start gap-8 lg:grid-cols-2">
          <section className="card p-5 sm:p-6" aria-labelledby="details">
            <h2 id="details" className="text-heading">
              Subscription Details
            </h2>
            <dl className="mt-4 grid gap-x-6 gap-y-3 sm:grid-cols-[auto_1fr] sm:gap-y-2">
              {details.map(([term, value]) => (
                <div key={term} className="sm:contents">
                  <dt className="font-semibold text-muted">{term}</dt>
                  <dd className="[overflow-wrap:anywhere]">
                    <bdi>{value}</bdi>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
          <section aria-labelledby="next">
            <h2 id="next" className="text-heading">
              What's Next?
            </h2>
            <p className="mt-2 text-muted">
              A confirmation email with details and next steps will be sent to{" "}
              <strong>{typed?.email ?? "the address that you entered"}</strong>.
            </p>
            <p className="mt-2 text-muted">
              Next, confirm your email address: press “Confirm my email address” in that email.
            </p>
            {!packageId && (
              <p className="mt-2 text-muted">
                You haven’t chosen a plan yet, so you won’t be charged.{" "}
                <a href="/pricing" className="text-link">
                  Compare plans
                </a>
                , then{" "}
                <a href={mailTo(company.supportEmail, "Choose my plan")} className="text-link">
                  tell support
                </a>{" "}
                which one you want before the trial ends.
              </p>
            )}
            {packageId && (
              <p className="mt-2 text-muted">
                {`We’ll email you a reminder on ${utcDay(reminderDate(trialEnd))}, ${counted(REMINDER_DAYS, "day")} before your trial ends.`}
              </p>
            )}
            <div className="mt-2">
              <HowToCancel />
            </div>
            <p className="mt-2 text-muted">You can also change your card and see your invoices there.</p>
            {requestId && (
              <p className="mt-2 text-muted [overflow-wrap:anywhere]">
                If you write to us about this sign-up, include this request ID: <code>{requestId}</code>
              </p>
            )}
          </section>
        </div>
        <Form method="post" action={`${pathname}?start-over`} replace className="mt-8">
          {key && <input type="hidden" name="sign_up" value={key} />}
          <Button type="submit" variant="ghost" name="intent" value="start-over">
            Sign up another company
          </Button>
        </Form>
      </div>
    </>
  );
}
