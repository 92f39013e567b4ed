import { Fragment } from "react";
import { inlineParts, type LegalBlock, type LegalDocument } from "./document";

/** A legal text with its table of contents; every section has an anchor of its own. */
export function LegalPage({ document }: { document: LegalDocument }) {
  const { title, updated, intro, sections } = document;
  return (
    <div className="wrap grid gap-x-16 gap-y-10 pt-12 pb-24 sm:pt-20 lg:grid-cols-[17rem_minmax(0,1fr)]">
      <header className="lg:col-span-2">
        <h1 className="text-display">{title}</h1>
        <p className="mt-6 text-muted">
          Last updated <time dateTime={updated.date}>{updated.text}</time>
        </p>
      </header>
      <nav aria-labelledby="contents" className="legal-contents print:hidden">
        <h2 id="contents" className="label">
          Contents
        </h2>
        <ol className="mt-3 text-sm">
          {sections.map((section, index) => (
            <li key={section.id}>
              <a href={`#${section.id}`} className="quiet-link">
                {index + 1}. {section.title}
              </a>
            </li>
          ))}
        </ol>
      </nav>
      <article className="prose max-w-2xl">
        {intro.map((text) => (
          <p key={text} className="text-lg">
            <Inline text={text} />
          </p>
        ))}
        {sections.map((section, index) => (
          <section key={section.id} aria-labelledby={section.id}>
            <h2 id={section.id}>
              {index + 1}. {section.title}
            </h2>
            {section.blocks.map((block) => (
              <Block key={JSON.stringify(block)} block={block} />
            ))}
          </section>
        ))}
      </article>
    </div>
  );
}

function Block({ block }: { block: LegalBlock }) {
  if (typeof block === "string") {
    return (
      <p>
        <Inline text={block} />
      </p>
    );
  }
  if ("heading" in block) return <h3>{block.heading}</h3>;
  if ("list" in block) {
    return (
      <ul>
        {block.list.map((text) => (
          <li key={text}>
            <Inline text={text} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <address>
      {block.address.map((line) => (
        <Fragment key={line}>
          <Inline text={line} />
          <br />
        </Fragment>
      ))}
    </address>
  );
}

function Inline({ text }: { text: string }) {
  return inlineParts(text).map(({ words, href }) =>
    href ? (
      <a key={href} href={href} className="text-link">
        {words}
      </a>
    ) : (
      words
    ),
  );
}
