import { company } from "../company";
import { Notice as NoticeBox, NoticeRegion } from "../ui/controls/notice";
import { mailTo } from "../ui/mail-to";
import { type Site, useSite } from "../ui/use-site";
import type { Notice, NoticeAction } from "./notices";

/** Each message has its own element, so that it can be found by its exact text. */
export function SignupNotice({
  notice,
  requestId,
  takesFocus = false,
}: {
  notice: Notice;
  requestId?: string | undefined;
  takesFocus?: boolean;
}) {
  const { kind, title, message, promised, hint, isSaidAtCard, actions = [] } = notice;
  const site = useSite();
  return (
    // The key makes a different notice a new element, which is open and scrolls into view.
    <NoticeBox key={`${title} ${message}`} kind={kind} title={title} takesFocus={takesFocus}>
      {message && <p aria-hidden={isSaidAtCard || undefined}>{message}</p>}
      {promised && site.apiPromises.includes(promised.by) && <p>{promised.text}</p>}
      {hint && <p>{hint}</p>}
      {actions.length > 0 && (
        <ul className="mt-1 flex flex-wrap gap-x-5">
          {actions.map((action) => (
            <li key={action}>
              <ActionLink action={action} site={site} />
            </li>
          ))}
        </ul>
      )}
      {requestId && actions.includes("support") && (
        <p>
          Request ID: <code>{requestId}</code>
        </p>
      )}
    </NoticeBox>
  );
}

/** An error above the step, in view. It has the focus, by which it is heard: an alert would be heard twice. */
export function FailureNotice({ notice, requestId }: { notice: Notice | undefined; requestId?: string | undefined }) {
  return <NoticeRegion>{notice && <SignupNotice notice={notice} requestId={requestId} takesFocus />}</NoticeRegion>;
}

function ActionLink({ action, site }: { action: NoticeAction; site: Site }) {
  const sales = action === "sales";
  const [href, text] =
    action === "console"
      ? [site.consoleUrl, "Log in to the Customer Console"]
      : [mailTo(sales ? company.salesEmail : company.supportEmail), `Contact ${sales ? "Sales" : "Support"}`];
  return (
    <a className="inline-block py-1 font-semibold underline" href={href}>
      {text}
    </a>
  );
}
