/** A drawing of the product at work: an AI answer in which a brand is cited, and its visibility. It shows no real data. */
export function ProductView() {
  return (
    <figure className="product-view">
      <div className="card lifted p-5 sm:p-7">
        <p className="ml-auto w-fit rounded-lg bg-brand-soft px-4 py-2.5 text-sm">Which brand should I choose?</p>
        <p className="label mt-5 flex items-center gap-2">
          <span className="size-2.5 rounded-full bg-brand" />
          AI answer
        </p>
        <p className="mt-2 leading-relaxed">
          For what you describe, <mark className="font-bold">Your Brand</mark> <span className="cite">1</span> is the
          one most sources point to. Its own guide answers your question in full. <span className="cite">1</span> An
          alternative is named less often. <span className="cite">2</span>
        </p>
        <ul className="mt-5 flex flex-wrap gap-2 border-t border-line pt-4 text-sm">
          <li className="rounded-md border border-line px-2.5 py-1">
            <span className="cite">1</span> yourbrand.example
          </li>
          <li className="rounded-md border border-line px-2.5 py-1 text-muted">
            <span className="cite">2</span> competitor.example
          </li>
        </ul>
      </div>
      <div className="card lifted product-chart p-5">
        <p className="flex items-baseline justify-between gap-3">
          <span className="label">AI visibility</span> <span className="text-sm text-muted">by month</span>
        </p>
        <svg viewBox="0 0 340 120" className="mt-3 w-full" aria-hidden="true" focusable="false">
          <path d="M0 30H340M0 65H340M0 100H340" className="stroke-line" />
          <path d="M4 98C50 96 80 90 120 76S190 58 230 44 300 24 330 18V118H4Z" className="fill-brand-soft" />
          <path d="M4 62C60 58 90 66 140 64S230 72 336 78" className="fill-none stroke-muted" strokeWidth="2" />
          <path
            d="M4 98C50 96 80 90 120 76S190 58 230 44 300 24 330 18"
            className="fill-none stroke-brand"
            strokeWidth="3.5"
            strokeLinecap="round"
          />
          <circle cx="330" cy="18" r="6.5" className="fill-accent stroke-ink" strokeWidth="2" />
        </svg>
        <p className="mt-2 flex gap-5 text-sm">
          <span className="legend text-brand">Your Brand</span> <span className="legend text-muted">Competitor</span>
        </p>
      </div>
      <figcaption className="mt-4 text-sm text-muted">Illustration with placeholder data.</figcaption>
    </figure>
  );
}
