import { Form, useLocation } from "@remix-run/react";
import { lazy, Suspense, useState } from "react";
import { findPlan, plans } from "../../pricing/plans";
import { Button } from "../../ui/controls/button";
import { NoticeArea } from "../../ui/controls/notice";
import { Day, Moment } from "../../ui/controls/time";
import { useHydrated } from "../../ui/document/use-hydrated";
import { useSite } from "../../ui/site";
import { CARD_USED, paymentFailed, SAVED } from "../later-notices";
import { CONFIGURATION_ERROR, type Notice } from "../notices";
import { reloadOnce } from "../reload-once";
import { ResumeOnAnotherDevice } from "../session/resume-on-another-device";
import { KeepButton, SessionTime, WARNING_SECONDS } from "../session/session-time";
import { SignupNotice } from "../signup-notice";
import type { CardStepData } from "../steps";
import { CardPlaceholder } from "./card-placeholder";

const CardForm = lazy(() => import("./card-form").catch(reloadOnce));

export function CardStep({ data, replyNotice }: { data: CardStepData; replyNotice: Notice | undefined }) {
  const hydrated = useHydrated();
  const { pathname } = useLocation();
  const configured = data.publishableKey !== "";
  const [cardNotice, setNotice] = useState(configured ? newsNotice(data.news) : CONFIGURATION_ERROR);
  // A reply to one of this step's buttons replaces earlier notices.
  const notice = replyNotice ?? cardNotice;
  const failed = notice?.kind === "destructive";
  return (
    <>
      <NoticeArea
        status={notice && !failed && <SignupNotice notice={notice} />}
        alert={
          <>
            {notice && failed && <SignupNotice notice={notice} requestId={data.requestId} />}
            <SessionTime session={data} />
          </>
        }
      />
      <p className="text-lg">Please enter your card info for starting your 5 days free trial</p>
      <p className="mt-1 text-muted">* You will not be charged immediately!</p>
      <TrialTerms packageId={data.account?.packageId} trialEnd={data.trialEnd} />
      {data.account && (
        <Form method="post" action={pathname} className="mt-4 text-sm text-muted [overflow-wrap:anywhere]">
          Signing up <strong>{data.account.companyName}</strong> with {data.account.email}.{" "}
          <button type="submit" name="intent" value="edit" className="py-1 font-semibold text-brand underline">
            Edit details
          </button>
        </Form>
      )}
      {!hydrated && (
        <div className="notice notice-progress until-script mt-6">
          <p className="font-bold">Entering a card needs JavaScript</p>
          <div className="text-sm">
            <p>
              Nothing is lost: your sign-up is kept until <Moment time={new Date(data.expiresAt).toISOString()} />. Turn
              JavaScript on and open this page again
              {data.resumeLink && ", or continue on another device with the link below"}.
            </p>
            {data.secondsLeft > WARNING_SECONDS && <KeepButton session={data} />}
          </div>
        </div>
      )}
      {configured && hydrated ? (
        <Suspense fallback={<CardPlaceholder />}>
          <CardForm data={data} failedReply={replyNotice} onNotice={setNotice} />
        </Suspense>
      ) : (
        configured && <CardPlaceholder />
      )}
      {data.resumeLink && <ResumeOnAnotherDevice link={data.resumeLink} />}
      <Form method="post" action={pathname} className="mt-6">
        <Button type="submit" variant="ghost" className="-ml-5" name="intent" value="edit">
          Start over
        </Button>
      </Form>
    </>
  );
}

function newsNotice(news: CardStepData["news"]): Notice | undefined {
  if (news === undefined) return undefined;
  if ("cardUsed" in news) return CARD_USED;
  return "failed" in news ? paymentFailed(news.failed) : SAVED;
}

function TrialTerms({ packageId, trialEnd }: { packageId: string | undefined; trialEnd: string }) {
  const site = useSite();
  const plan = findPlan(plans(site), packageId);
  if (!plan?.price) return null;
  return (
    <p className="mt-4">
      Your trial ends on <Day time={trialEnd} />. Then ${plan.price.toFixed(2)} (USD) a month plus any tax until you
      cancel. To cancel, open the{" "}
      <a href={site.customerPortalUrl} className="text-link">
        customer portal
      </a>
      ; every mail of ours leads there.
    </p>
  );
}
