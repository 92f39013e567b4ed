import { Form, useLocation } from "@remix-run/react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from "react";
import { chargeSentence, MONTHLY, plusTax } from "../../contract/charge-wording";
import { counted } from "../../contract/counted";
import { utcDay } from "../../contract/dates";
import { chargedAmount } from "../../contract/money";
import { findPlan } from "../../pricing/plans/plan-list";
import { NoticeRegion } from "../../ui/controls/notice";
import { Moment } from "../../ui/controls/time";
import { useHydrated } from "../../ui/document/use-hydrated";
import { useIsPromised, useSite } from "../../ui/use-site";
import { useAnnouncement, wordsOf } from "../announcer";
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
import { useIsReturning } from "../requests/step-checks";
import { useLatest } from "../requests/use-failure";
import { ResumeOnAnotherDevice } from "../resume/resume-on-another-device";
import { FailureNotice, SignupNotice } from "../signup-notice";
import type { CardStepData } from "../steps";
import { IntentButton, RouteLink } from "../waiting-controls";
import { CardFields } from "./card-fields";
import { CardSpace } from "./card-placeholder";
import { OffWhile } from "./off-while";
import { ScriptTrouble } from "./script-trouble";

interface CardStepProps {
  data: CardStepData;
  failure: Notice | undefined;
  /** Called with true from the moment in which the card goes to Stripe until its outcome is known. */
  onSent(isSent: boolean): void;
}

export function CardStep({ data, failure, onSent }: CardStepProps) {
  const hydrated = useHydrated();
  const { pathname } = useLocation();
  const configured = data.publishableKey !== "";
  const [said, setSaid] = useState<Notice>();
  const [isSaved, setSaved] = useState(false);
  const served = useMemo(() => servedNotice(data), [data]);
  const latest = useLatest([served, said, failure]);
  const notice = latest === OUTCOME_UNREACHABLE && isSaved ? CARD_SAVED_BUT_UNREACHABLE : latest;
  const [isReadingTimeOver, onReady] = useReadingTime();
  const isReturning = useIsReturning();
  const isSent = isReturning || notice === PROCESSING_CARD;
  useLayoutEffect(() => {
    onSent(isSent);
    return () => onSent(false);
  }, [isSent, onSent]);
  useAnnouncement(data.flash === "saved" ? wordsOf(SAVED) : undefined);
  useAnnouncement(notice === PROCESSING_CARD ? "Processing your card." : undefined);
  return (
    <>
      <NoticeRegion className="step-status">
        {data.flash === "saved" && (
          <div className={isReadingTimeOver || said ? "invisible" : ""}>
            <SignupNotice notice={SAVED} />
          </div>
        )}
      </NoticeRegion>
      <div className="step-main">
        <FailureNotice notice={notice === PROCESSING_CARD ? undefined : notice} requestId={data.requestId} />
        {data.earlier && <SignupNotice notice={data.earlier} requestId={data.requestId} />}
        <section className="card p-5 outline-none sm:p-8" aria-labelledby="card-entry" tabIndex={-1}>
          <h2 id="card-entry" className="text-heading">
            {`Please enter your card info for starting your ${counted(data.terms.trial_days, "day")} free trial`}
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
        <div className="card summary-rest p-4 text-sm text-muted [overflow-wrap:anywhere] lg:px-6">
          {data.details && (
            <p>
              Signing up <strong dir="auto">{data.details.company_name}</strong> with <span>{data.details.email}</span>.{" "}
              <OffWhile off={isSent} inline>
                <RouteLink to="?edit" className="inline-block py-1 font-semibold text-brand underline">
                  Edit details
                </RouteLink>
              </OffWhile>
              <span dir="auto" className="block">
                {addressOf(data.details)}
              </span>
            </p>
          )}
          <p>
            We’ll keep this sign-up until <Moment time={new Date(data.expiresAt).toISOString()} />.
          </p>
        </div>
        <OffWhile off={isSent}>
          {data.resumeLink && <ResumeOnAnotherDevice link={data.resumeLink} />}
          <Form method="post" action={`${pathname}?start-over`} replace aria-label="Start over" className="mt-2">
            <input type="hidden" name="sign_up" value={data.key} />
            <IntentButton variant="ghost" intent="start-over">
              Start over
            </IntentButton>
          </Form>
        </OffWhile>
      </div>
    </>
  );
}

function servedNotice({ publishableKey, flash, message }: CardStepData): Notice | undefined {
  if (publishableKey === "" || flash === "unknown") return CONFIGURATION_ERROR;
  if (flash === "card used") return CARD_USED;
  return flash === "declined" ? paymentFailed(message) : undefined;
}

/** Enough time to read a notice that was shown while the card's fields were loading. */
const READING_TIME_MS = 2_000;

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

function TrialTerms({ data: { packageId, terms, trialEnd } }: { data: CardStepData }) {
  const site = useSite();
  const isInEmails = useIsPromised("links-portal");
  const plan = findPlan(packageId, terms.price_cents);
  if (!plan?.shownPriceCents) return null;
  return (
    <p className="mt-3 text-sm sm:text-base">
      <span>
        {`Your trial ends on ${utcDay(trialEnd)}. ${chargeSentence(trialEnd, { amount: plusTax(chargedAmount(plan.shownPriceCents), terms.tax_added), card: "card", after: MONTHLY })}`}
      </span>{" "}
      <span>
        {site.customerPortalUrl ? (
          <span key="portal">
            To cancel, open the{" "}
            <a href={site.customerPortalUrl} className="text-link">
              customer portal
            </a>
            <span>{isInEmails ? "; every email we send links to it." : "."}</span>
          </span>
        ) : (
          <span key="settings">To cancel, use your account settings.</span>
        )}
      </span>
    </p>
  );
}

const addressOf = ({ address, city, state, zipCode, country }: Record<string, string>) =>
  [address, city, [state, zipCode].filter(Boolean).join(" "), country].filter(Boolean).join(", ");
