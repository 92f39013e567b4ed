import { company } from "../company";
import { PlusIcon } from "../ui/controls/icons";
import { mailTo } from "../ui/mail-to";
import { useSite } from "../ui/use-site";
import { faq } from "./faq";

/** `<details>` works without a script and opens when find-in-page matches its text. */
export function FaqSection() {
  const site = useSite();
  return (
    <section className="wrap grid gap-6 pb-16 sm:pb-24 lg:grid-cols-3 lg:gap-12" aria-labelledby="faq">
      <div>
        <h2 id="faq" className="text-title">
          FAQ
        </h2>
        <p className="mt-4 text-muted">
          Still have questions?{" "}
          <a href={mailTo(company.supportEmail)} className="text-link">
            Contact support
          </a>
          .
        </p>
      </div>
      <div className="lg:col-span-2">
        {faq(site).map(({ question, answer }, index) => (
          <details key={question} className="faq" open={index === 0}>
            <summary>
              <h3>{question}</h3>
              <PlusIcon className="faq-mark size-6" />
            </summary>
            <p>
              <Answer text={answer} />
            </p>
          </details>
        ))}
      </div>
    </section>
  );
}

const PORTAL = "customer portal";

function Answer({ text }: { text: string }) {
  const { customerPortalUrl } = useSite();
  const [before, after] = text.split(PORTAL, 2);
  if (after === undefined) return text;
  return (
    <>
      {before}
      <a href={customerPortalUrl} className="text-link">
        {PORTAL}
      </a>
      {after}
    </>
  );
}
