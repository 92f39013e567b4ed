import { Form, useLocation } from "@remix-run/react";
import { lazy, Suspense, useState } from "react";
import { Button } from "../../ui/button";
import { NoticeArea } from "../../ui/notice";
import { useHydrated } from "../../ui/use-hydrated";
import { CONFIGURATION_ERROR, type Notice, SAVED } from "../notices";
import { ResumeOnAnotherDevice } from "../session/resume-on-another-device";
import { NoticeOf } from "../signup-notice";
import type { CardStepData } from "../steps";
import { CardPlaceholder } from "./card-placeholder";
import { loadCardForm } from "./load-card-form";

const CardForm = lazy(loadCardForm);

/** The card's step: whose sign-up it is, the provider's entry element, and a way on for browsers that cannot show it. */
export function CardStep({ data, refused }: { data: CardStepData; refused: Notice | undefined }) {
  const hydrated = useHydrated();
  // Without the query: after the provider's return the client_secret stands in it.
  const { pathname } = useLocation();
  const configured = data.publishableKey !== "";
  const [told, setNotice] = useState<Notice | undefined>(configured ? SAVED : CONFIGURATION_ERROR);
  // A button of this step that the site held back comes after everything else.
  const notice = refused ?? told;
  const failed = notice?.kind === "destructive";
  return (
    <>
      <NoticeArea
        status={notice && !failed && <NoticeOf notice={notice} />}
        alert={notice && failed && <NoticeOf notice={notice} />}
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
