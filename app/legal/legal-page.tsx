import type { MDXComponents } from "mdx/types";
import { Fragment, type ReactNode } from "react";
import { company } from "../company";
import type { ApiPromise } from "../contract/api-promises";
import { longDay } from "../contract/dates";
import { mailTo } from "../ui/mail-to";
import { useIsPromised, useSite } from "../ui/use-site";
import type { LegalText } from "./legal-text";

export function LegalPage({ text: { title, updated, sections, Content } }: { text: LegalText }) {
  const components: MDXComponents = {
    h2: ({ id, children }) => (
      <h2 id={id}>
        {sections.findIndex((section) => section.id === id) + 1}. {lastWordsTogether(children)}
      </h2>
    ),
    a: ({ href = "", children }) => <TextLink href={href}>{children}</TextLink>,
    LegalEmail,
    SupportEmail,
    Taxes,
    Promised,
    ContactBlock,
  };
  return (
    <div className="wrap grid gap-x-16 gap-y-10 pt-12 pb-24 sm:pt-20 lg:grid-cols-[17rem_minmax(0,1fr)]">
      <header className="lg:col-span-2">
        <h1 className="text-title">{title}</h1>
        <p className="mt-6 text-muted">
          Last updated <time dateTime={updated}>{longDay(updated)}</time>
        </p>
      </header>
      <nav aria-labelledby="contents" className="legal-contents print:hidden">
        <h2 id="contents" className="label">
          Contents
        </h2>
        <ul className="mt-3 text-sm">
          {sections.map((section, index) => (
            <li key={section.id}>
              <a href={`#${section.id}`} className="quiet-link">
                {index + 1}. {section.value}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <article className="prose max-w-2xl">
        <Content components={components} />
      </article>
    </div>
  );
}

/** Keeps the heading's last two words on one line where they fit. */
function lastWordsTogether(heading: ReactNode): ReactNode {
  if (typeof heading !== "string") return heading;
  const [before = "", last] = heading.split(/(?<= )(?=\S+ \S+$)/);
  if (last === undefined) return heading;
  return (
    <>
      {before}
      <span className="inline-block">{last}</span>
    </>
  );
}

function TextLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} className="text-link">
      {children}
    </a>
  );
}

function LegalEmail() {
  return <TextLink href={mailTo(company.legalEmail)}>{company.legalEmail}</TextLink>;
}

function SupportEmail() {
  return <TextLink href={mailTo(company.supportEmail)}>{company.supportEmail}</TextLink>;
}

function Taxes() {
  const { automaticTax } = useSite();
  if (!automaticTax) return null;
  return (
    <p>Fees do not include taxes. You pay the taxes that apply to your purchase, other than those on our income.</p>
  );
}

/** What is true only of an API that does it. */
function Promised({ by, children }: { by: ApiPromise; children: ReactNode }) {
  return useIsPromised(by) && children;
}

function ContactBlock() {
  const { siteUrl } = useSite();
  return (
    <address>
      {company.postalAddress.map((line) => (
        <Fragment key={line}>
          {line}
          <br />
        </Fragment>
      ))}
      Email: <LegalEmail />
      <br />
      Website: <TextLink href={siteUrl}>{new URL(siteUrl).host}</TextLink>
    </address>
  );
}
