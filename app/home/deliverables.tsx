import { deliverables, type proof } from "./home-content";

export function Deliverables() {
  return (
    <div className="pt-16">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 className="text-heading">{deliverables.title}</h2>
        <p className="badge bg-accent text-on-accent">Example</p>
      </div>
      <p className="mt-1 text-muted">{deliverables.text}</p>
      <ul className="deliverables mt-6">
        {deliverables.examples.map(({ kind, title, facts }) => (
          <li key={kind} className="card p-[min(1.5rem,6vw)]">
            <p className="eyebrow">{kind}</p>
            <h3 className="mt-1 text-heading">{title}</h3>
            <dl className="mt-4">
              {facts.map(({ term, text }) => (
                <div key={term} className="border-t border-line py-2">
                  <dt className="label">{term}</dt> <dd className="text-muted">{text}</dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function Proof({ logos, quote }: typeof proof) {
  if (logos.length === 0 && !quote) return null;
  return (
    <div className="flex flex-wrap items-center justify-between gap-8 pt-14">
      {logos.map((logo) => (
        <img key={logo.src} {...logo} alt={logo.alt} loading="lazy" />
      ))}
      {quote && (
        <figure>
          <blockquote className="text-heading">{`“${quote.text}”`}</blockquote>
          <figcaption className="mt-2 text-muted">{quote.by}</figcaption>
        </figure>
      )}
    </div>
  );
}
