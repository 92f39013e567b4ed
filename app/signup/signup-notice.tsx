import { company } from "../company";
import { LiveRegion, Notice as NoticeBox } from "../ui/controls/notice";
import { mailTo } from "../ui/mail-to";
import { type Site, useSite } from "../ui/use-site";
import type { Notice, NoticeAction } from "./notices";

/**
 * Each message has its own element, so that it can be found by its exact text.
 * @param requestId shown with an offer to contact support
 * @param takesFocus true if the visitor has to read it first
 */
export function SignupNotice({
  notice,
  requestId,
  takesFocus = false,
}: {
  notice: Notice;
  requestId?: string | undefined;
  takesFocus?: boolean;
}) {
  const { kind, title, message, hint, actions = [] } = notice;
  const site = useSite();
  return (
    // The key makes a different notice a new element, which is open and scrolls into view.
    <NoticeBox key={`${title} ${message}`} kind={kind} title={title} takesFocus={takesFocus}>
      {message && <p>{message}</p>}
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

/** An error above the step: announced, focused and in view. Its live region also stays in the document without one. */
export function FailureNotice({ notice, requestId }: { notice: Notice | undefined; requestId?: string | undefined }) {
  return (
    <LiveRegion role="alert">{notice && <SignupNotice notice={notice} requestId={requestId} takesFocus />}</LiveRegion>
  );
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
