import { Form, Link, useLocation } from "@remix-run/react";
import { useCallback, useEffect, useMemo, useState } from "react";
import { chargeSentence, plusTax } from "../../contract/charge-wording";
import { counted } from "../../contract/counted";
import { utcDay } from "../../contract/dates";
import { chargedAmount } from "../../contract/money";
import { TRIAL_DAYS } from "../../contract/trial";
import { findPlan } from "../../pricing/plans/plan-list";
import { Button } from "../../ui/controls/button";
import { LiveRegion } from "../../ui/controls/notice";
import { Moment } from "../../ui/controls/time";
import { useHydrated } from "../../ui/document/use-hydrated";
import { useSite } from "../../ui/use-site";
import {
  CARD_SAVED_BUT_UNREACHABLE,
  CARD_USED,
  CONFIGURATION_ERROR,
  type Notice,
  OUTCOME_UNREACHABLE,
  PROCESSING_CARD,
  paymentFailed,
  SAVED,
} from "../notices";
import { useLatest } from "../requests/use-failure";
import { ResumeOnAnotherDevice } from "../resume/resume-on-another-device";
import { FailureNotice, SignupNotice } from "../signup-notice";
import type { CardStepData } from "../steps";
import { CardFields } from "./card-fields";
import { CardSpace } from "./card-placeholder";
import { ScriptTrouble } from "./script-trouble";

export function CardStep({ data, failure }: { data: CardStepData; failure: Notice | undefined }) {
  const hydrated = useHydrated();
  const { pathname } = useLocation();
  const configured = data.publishableKey !== "";
  const [said, setSaid] = useState<Notice>();
  const [isSaved, setSaved] = useState(false);
  const served = useMemo(() => servedNotice(data), [data]);
  const latest = useLatest([served, said, failure]);
  const notice = latest === OUTCOME_UNREACHABLE && isSaved ? CARD_SAVED_BUT_UNREACHABLE : latest;
  const [isReadingTimeOver, onReady] = useReadingTime();
  return (
    <>
      <LiveRegion role="status" className="step-status">
        {data.flash === "saved" && (
          <div className={isReadingTimeOver || said ? "invisible" : ""}>
            <SignupNotice notice={SAVED} />
          </div>
        )}
        {notice === PROCESSING_CARD && <p className="sr-only">Processing your card.</p>}
      </LiveRegion>
      <div className="step-main">
        <FailureNotice notice={notice === PROCESSING_CARD ? undefined : notice} requestId={data.requestId} />
        <section className="card p-5 outline-none sm:p-8" aria-labelledby="card-entry" tabIndex={-1}>
          <h2 id="card-entry" className="text-heading">
            {`Please enter your card info for starting your ${counted(TRIAL_DAYS, "day")} free trial`}
          </h2>
          <p className="mt-1 text-muted">* You will not be charged immediately!</p>
          <TrialTerms data={data} />
          {!hydrated && <ScriptTrouble hasLink={data.resumeLink !== undefined} />}
          {configured && hydrated ? (
            <CardFields data={data} onNotice={setSaid} onReady={onReady} onSaved={() => setSaved(true)} />
          ) : (
            configured && <CardSpace />
          )}
        </section>
      </div>
      <div className="step-side">
        <div className="text-sm text-muted [overflow-wrap:anywhere]">
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
        <Form method="post" action={`${pathname}?start-over`} replace aria-label="Start over" className="mt-6">
          <input type="hidden" name="sign_up" value={data.key} />
          <Button type="submit" variant="ghost" name="intent" value="start-over">
            Start over
          </Button>
        </Form>
      </div>
    </>
  );
}

/** The server's notice about the last card. */
function servedNotice({ publishableKey, flash, message }: CardStepData): Notice | undefined {
  if (publishableKey === "" || flash === "unknown") return CONFIGURATION_ERROR;
  if (flash === "card used") return CARD_USED;
  return flash === "declined" ? paymentFailed(message) : undefined;
}

/** Enough time to read a notice that was shown while the card's fields were loading. */
const READING_TIME_MS = 2_000;

/** True two seconds after the card's fields are ready. */
function useReadingTime(): [isRead: boolean, onReady: () => void] {
  const [ready, setReady] = useState(false);
  const [isRead, setRead] = useState(false);
  useEffect(() => {
    if (!ready) return;
    const timer = setTimeout(() => setRead(true), READING_TIME_MS);
    return () => clearTimeout(timer);
  }, [ready]);
  return [isRead, useCallback(() => setReady(true), [])];
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
