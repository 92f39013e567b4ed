import { company } from "../../company";
import { MailIcon } from "../controls/icons";
import { mailTo } from "../mail-to";

const offers = [
  {
    audience: "For brands",
    text: "See which answers name you, and which name a competitor.",
    subject: "AI search visibility for our brand",
  },
  {
    audience: "For agencies",
    text: "Track your clients with custom prompts, a dedicated specialist and a forward-deployed engineer.",
    subject: "AI search visibility for our agency",
  },
];

export function ClosingCall() {
  return (
    <section className="wrap pb-24" aria-labelledby="closing">
      <div className="night grid grid-cols-1 overflow-hidden rounded-xl bg-night text-on-night lg:grid-cols-2">
        <div className="p-[min(1.5rem,6vw)] sm:p-14">
          <h2 id="closing" className="text-title">
            The next answer is being written. <mark>Be&nbsp;in&nbsp;it.</mark>
          </h2>
          <p className="mt-6 max-w-md text-lg text-on-night-muted">
            Tell us what your buyers ask. We’ll show you how the platform tracks it.
          </p>
          <p className="mt-6 wrap-anywhere text-on-night-muted">
            Write to <strong className="text-on-night">{company.salesEmail}</strong>, or{" "}
            <a href="/pricing#plans" className="font-bold text-accent underline">
              start a free trial
            </a>
            .
          </p>
        </div>
        <ul className="grid min-w-0 grid-cols-1 bg-night-raised sm:grid-cols-2 lg:grid-cols-1">
          {offers.map(({ audience, text, subject }) => (
            <li
              key={audience}
              className="flex flex-col items-start border-t border-on-night-line p-[min(1.5rem,6vw)] sm:px-14 sm:py-10"
            >
              <h3 className="text-heading">{audience}</h3>
              <p className="mt-2 mb-6 text-on-night-muted">{text}</p>
              <a href={mailTo(company.salesEmail, subject)} className="btn btn-accent btn-md mt-auto">
                <MailIcon />
                Contact Sales<span className="sr-only">{` ${audience.toLowerCase()}`}</span>
              </a>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
