import { Form, useLocation } from "@remix-run/react";
import { company } from "../../company";
import { cardName } from "../../contract/card-name";
import { chargeDay, plusTax } from "../../contract/charge-wording";
import { counted } from "../../contract/counted";
import { utcDay } from "../../contract/dates";
import { formatPhone } from "../../contract/fields/phone";
import { chargedAmount } from "../../contract/money";
import { REMINDER_DAYS, reminderDate, trialEndOf } from "../../contract/trial";
import { describePrice, findPlan } from "../../pricing/plans/plan-list";
import { ButtonLink } from "../../ui/controls/button";
import { NoticeRegion } from "../../ui/controls/notice";
import { mailTo } from "../../ui/mail-to";
import { HowToCancel } from "../../ui/trial-timeline";
import { useIsPromised, useSite } from "../../ui/use-site";
import type { Notice } from "../notices";
import { FailureNotice, SignupNotice } from "../signup-notice";
import type { DoneStepData } from "../steps";
import { IntentButton } from "../waiting-controls";
import { SuccessNotices } from "./success-notices";

export function SuccessStep({ data, failure }: { data: DoneStepData; failure: Notice | undefined }) {
  const {
    key,
    packageId,
    terms,
    details: typed,
    card,
    startedAt,
    trialEnd = trialEndOf(startedAt, terms.trial_days),
    requestId,
    flash,
    earlier,
  } = data;
  const { pathname } = useLocation();
  const site = useSite();
  const confirmsEmail = useIsPromised("confirms-email");
  const isReminded = useIsPromised("reminds");
  const isFreeWithoutPlan = useIsPromised("charges-only-plans");
  const plan = findPlan(packageId, terms.price_cents);
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
      `${plusTax(chargedAmount(plan.shownPriceCents), terms.tax_added)}, ${chargeDay(trialEnd)}`,
    ]);
  if (card) details.push(["Card", cardName(card)]);
  return (
    <>
      <NoticeRegion className="step-status">{flash && <SuccessNotices />}</NoticeRegion>
      <div className="step-main">
        <FailureNotice notice={failure && notStartedAgain(failure)} />
        {earlier && <SignupNotice notice={earlier} requestId={requestId} />}
        <p className="text-lg">
          {`Thank you for your subscription. Your ${counted(terms.trial_days, "day")} trial period has been started.`}
        </p>
        <ButtonLink href={site.consoleUrl} size="lg" className="mt-5 w-fit">
          Open the Customer Console
        </ButtonLink>
        <div className="mt-8 grid items-start gap-8 lg:grid-cols-2">
          <section aria-labelledby="next">
            <h2 id="next" className="text-heading">
              What's Next?
            </h2>
            <ol className="next-steps mt-4">
              <li>
                <p>
                  A confirmation email with details and next steps will be sent to{" "}
                  <strong>{typed?.email ?? "the address that you entered"}</strong>.
                </p>
                {confirmsEmail && (
                  <p className="mt-1">
                    Next, confirm your email address: press “Confirm my email address” in that email.
                  </p>
                )}
              </li>
              {!packageId && (
                <li>
                  <p>
                    <span>{`You haven’t chosen a plan yet${isFreeWithoutPlan ? ", so you won’t be charged" : ""}.`}</span>{" "}
                    <a href="/pricing" className="text-link">
                      Compare plans
                    </a>
                    , then{" "}
                    <a href={mailTo(company.supportEmail, "Choose my plan")} className="text-link">
                      tell support
                    </a>{" "}
                    which one you want before the trial ends.
                  </p>
                </li>
              )}
              {packageId && isReminded && (
                <li>
                  <p>
                    {`We’ll email you a reminder on ${utcDay(reminderDate(trialEnd))}, ${counted(REMINDER_DAYS, "day")} before your trial ends.`}
                  </p>
                </li>
              )}
              <li>
                <HowToCancel />
                {site.customerPortalUrl && (
                  <p className="mt-1">You can also change your card and see your invoices there.</p>
                )}
              </li>
            </ol>
          </section>
          <section className="card p-5 sm:p-6" aria-labelledby="details">
            <h2 id="details" className="text-heading">
              Subscription Details
            </h2>
            <dl className="mt-3">
              {details.map(([term, value]) => (
                <div key={term} className="border-t border-line py-2 sm:grid sm:grid-cols-[8rem_1fr] sm:gap-x-4">
                  <dt className="text-muted">{term}</dt>
                  <dd className="font-semibold [overflow-wrap:anywhere]">
                    <bdi>{value}</bdi>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        </div>
        <div className="mt-10 border-t border-line pt-4">
          <Form method="post" action={`${pathname}?start-over`} replace>
            {key && <input type="hidden" name="sign_up" value={key} />}
            <IntentButton variant="ghost" intent="start-over">
              Sign up another company
            </IntentButton>
          </Form>
          {requestId && (
            <p className="mt-2 text-sm text-muted [overflow-wrap:anywhere]">
              If you write to us about this sign-up, include this request ID: <code>{requestId}</code>
            </p>
          )}
        </div>
      </div>
    </>
  );
}

function notStartedAgain(failure: Notice): Notice {
  return { ...failure, title: "We couldn’t start another sign-up", hint: "Your subscription is not affected." };
}
