import { Form, Link, useLocation } from "@remix-run/react";
import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { chargeSentence, plusTax } from "../../contract/charge-wording";
import { utcDay } from "../../contract/dates";
import { chargedAmount } from "../../contract/money";
import { TRIAL_DAYS } from "../../contract/trial";
import { findPlan } from "../../pricing/plans/plan-list";
import { Button } from "../../ui/controls/button";
import { LiveRegion } from "../../ui/controls/notice";
import { Moment } from "../../ui/controls/time";
import { useHydrated } from "../../ui/document/use-hydrated";
import { useSite } from "../../ui/use-site";
import { CARD_USED, CONFIGURATION_ERROR, type Notice, paymentFailed, SAVED } from "../notices";
import { ResumeOnAnotherDevice } from "../resume/resume-on-another-device";
import { SignupNotice } from "../signup-notice";
import type { CardStepData } from "../steps";
import { CardPlaceholder } from "./card-placeholder";
import { loadStripeElements } from "./card-script";

const StripeElements = lazy(loadStripeElements);

export function CardStep({ data }: { data: CardStepData }) {
  const hydrated = useHydrated();
  const { pathname } = useLocation();
  const configured = data.publishableKey !== "";
  const { notice, setNotice, isFirst } = useLatestNotice(data);
  const [isReadingTimeOver, onReady] = useReadingTime();
  return (
    <>
      <LiveRegion role="status" className="step-status">
        {data.flash === "saved" && (
          <div className={isReadingTimeOver || !isFirst ? "invisible" : ""}>
            <SignupNotice notice={SAVED} />
          </div>
        )}
        {notice?.kind === "progress" && <p className="sr-only">Processing your card.</p>}
      </LiveRegion>
      <div className="step-main">
        <LiveRegion role="alert">
          {notice?.kind === "destructive" && <SignupNotice notice={notice} requestId={data.requestId} takesFocus />}
        </LiveRegion>
        <section className="card p-5 sm:p-8" aria-labelledby="card-entry">
          <h2 id="card-entry" className="text-heading">
            {`Please enter your card info for starting your ${TRIAL_DAYS} days free trial`}
          </h2>
          <p className="mt-1 text-muted">* You will not be charged immediately!</p>
          <TrialTerms data={data} />
          {!hydrated && (
            <div className="notice notice-progress until-script mt-6">
              <p className="font-bold">You need JavaScript to enter a card</p>
              <p className="text-sm">
                {`Nothing is lost. Turn JavaScript on and open this page again${data.resumeLink ? ", or continue on another device with the link below" : ""}.`}
              </p>
            </div>
          )}
          {configured && hydrated ? (
            <Suspense fallback={<CardPlaceholder />}>
              <StripeElements data={data} onNotice={setNotice} onReady={onReady} />
            </Suspense>
          ) : (
            configured && <CardPlaceholder />
          )}
        </section>
        <div className="mt-4 text-sm text-muted [overflow-wrap:anywhere]">
          {data.details && (
            <p>
              Signing up <strong dir="auto">{data.details.company_name}</strong> with <span>{data.details.email}</span>.{" "}
              <Link to="?edit" className="inline-block py-1 font-semibold text-brand underline">
                Edit details
              </Link>
            </p>
          )}
          <p>
            We'll keep this sign-up until <Moment time={new Date(data.expiresAt).toISOString()} />.
          </p>
        </div>
        {data.resumeLink && <ResumeOnAnotherDevice link={data.resumeLink} />}
        <Form method="post" action={pathname} aria-label="Start over" className="mt-6">
          <input type="hidden" name="sign_up" value={data.key} />
          <Button type="submit" variant="ghost" className="-ml-5" name="intent" value="start-over">
            Start over
          </Button>
        </Form>
      </div>
    </>
  );
}

/** The latest notice from the card's fields, or else from the server. */
function useLatestNotice(data: CardStepData) {
  const [said, setSaid] = useState<{ notice: Notice | undefined; data: CardStepData }>();
  const server = data.publishableKey === "" ? CONFIGURATION_ERROR : flashNotice(data);
  const isLatest = said?.data === data || server === undefined;
  const setNotice = (notice: Notice | undefined) => setSaid({ notice, data });
  return {
    notice: said && isLatest ? said.notice : server,
    setNotice,
    /** True until the card's fields report something. */
    isFirst: said === undefined,
  };
}

function flashNotice({ flash, message }: CardStepData): Notice | undefined {
  if (flash === "card used") return CARD_USED;
  if (flash === "unknown") return CONFIGURATION_ERROR;
  return flash === "declined" ? paymentFailed(message) : undefined;
}

/** Enough time to read a notice that was shown while the card's fields were loading. */
const READING_TIME_MS = 2_000;

/** True two seconds after the card's fields are ready. */
function useReadingTime(): [isOver: boolean, onReady: () => void] {
  const [ready, setReady] = useState(false);
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (!ready) return;
    const timer = setTimeout(() => setOver(true), READING_TIME_MS);
    return () => clearTimeout(timer);
  }, [ready]);
  return [isOver, useCallback(() => setReady(true), [])];
}

/** Shows the price that the visitor agreed to, even if the list price has changed. */
function TrialTerms({ data: { packageId, agreedPriceCents, trialEnd } }: { data: CardStepData }) {
  const site = useSite();
  const plan = findPlan(packageId, agreedPriceCents);
  if (!plan?.shownPriceCents) return null;
  return (
    <p className="mt-3 text-sm">
      <span>
        {`Your trial ends on ${utcDay(trialEnd)}. ${chargeSentence(trialEnd, { amount: plusTax(chargedAmount(plan.shownPriceCents), site.automaticTax), card: "card" })}`}
      </span>{" "}
      To cancel, open the{" "}
      <a href={site.customerPortalUrl} className="text-link">
        customer portal
      </a>
      ; every email we send links to it.
    </p>
  );
}
