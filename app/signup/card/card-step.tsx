import { Form, useLocation } from "@remix-run/react";
import { lazy, Suspense, useState } from "react";
import { Button } from "../../ui/button";
import { NoticeArea } from "../../ui/notice";
import { useHydrated } from "../../ui/use-hydrated";
import { CONFIGURATION_ERROR, type Notice, SAVED } from "../notices";
import { ResumeOnAnotherDevice } from "../session/resume-on-another-device";
import { SignupNotice } from "../signup-notice";
import type { CardStepData } from "../steps";
import { CardPlaceholder } from "./card-placeholder";
import { loadCardForm } from "./load-card-form";

const CardForm = lazy(loadCardForm);

export function CardStep({ data, replyNotice }: { data: CardStepData; replyNotice: Notice | undefined }) {
  const hydrated = useHydrated();
  // Without the query, which contains the client secret after Stripe's redirect.
  const { pathname } = useLocation();
  const configured = data.publishableKey !== "";
  const [cardNotice, setNotice] = useState<Notice | undefined>(configured ? SAVED : CONFIGURATION_ERROR);
  // A reply to one of this step's buttons replaces earlier notices.
  const notice = replyNotice ?? cardNotice;
  const failed = notice?.kind === "destructive";
  return (
    <>
      <NoticeArea
        status={notice && !failed && <SignupNotice notice={notice} />}
        alert={notice && failed && <SignupNotice notice={notice} />}
      />
      <p className="text-lg">Please enter your card info for starting your 5 days free trial</p>
      <p className="mt-1 text-muted">* You will not be charged immediately!</p>
      <p className="mt-4 break-words text-sm text-muted">
        Signing up <strong>{data.account.companyName}</strong> with {data.account.email}.
      </p>
      {!hydrated && (
        <div className="notice notice-progress until-script mt-6">
          <p className="font-bold">Entering a card needs JavaScript</p>
          <p className="text-sm">
            Nothing is lost: your sign-up is saved for two hours. Turn JavaScript on and open this page again, or
            continue on another device with the link below.
          </p>
        </div>
      )}
      {configured && hydrated ? (
        <Suspense fallback={<CardPlaceholder />}>
          <CardForm data={data} onNotice={setNotice} />
        </Suspense>
      ) : (
        configured && <CardPlaceholder />
      )}
      <ResumeOnAnotherDevice link={data.resumeLink} />
      <Form method="post" action={pathname} className="mt-6">
        <Button type="submit" variant="ghost" className="-ml-5" name="intent" value="start-over">
          Start over
        </Button>
      </Form>
    </>
  );
}
