import { ButtonLink } from "../controls/button";

export function NotFound() {
  return (
    <section className="wrap grid min-h-[70vh] items-center gap-12 py-20 md:grid-cols-2">
      <div>
        <p className="bracketed text-display text-brand">404</p>
        <h1 className="mt-4 text-title">Oops! Page not found</h1>
        <p className="mt-5 max-w-md text-lg text-muted">
          Nothing is published at this address. It may have been mistyped, or the page has moved since someone linked to
          it.
        </p>
        <ButtonLink href="/" size="lg" className="mt-8">
          Return to Home
        </ButtonLink>
      </div>
      <svg
        width="400"
        height="280"
        viewBox="0 0 400 280"
        className="hidden h-auto w-full md:block"
        aria-hidden="true"
        focusable="false"
      >
        <rect x="1" y="1" width="398" height="278" rx="20" className="fill-raised stroke-line" strokeWidth="2" />
        <path
          d="M40 60h250M40 90h310M40 120h280M40 150h120M230 150h110M40 180h300M40 210h180"
          className="stroke-line"
          strokeWidth="10"
          strokeLinecap="round"
        />
        <rect x="166" y="136" width="58" height="28" rx="4" className="fill-accent" />
        <text x="195" y="155" textAnchor="middle" className="fill-on-accent font-bold" fontSize="14">
          [?]
        </text>
      </svg>
    </section>
  );
}
