import type { ReactNode } from "react";
import { CheckIcon } from "../ui/icons";
import { suite } from "./home-content";

const views: Record<(typeof suite.products)[number]["key"], ReactNode> = {
  prompts: (
    <>
      <p className="flex flex-wrap gap-2">
        <span className="badge bg-brand-soft text-brand-strong">keyword</span>{" "}
        <span className="badge bg-brand-soft text-brand-strong">persona</span>
      </p>
      <p className="mt-3 rounded-md border border-line bg-raised p-3">
        “As a <mark>persona</mark>, which <mark>keyword</mark> should I choose?”
      </p>
    </>
  ),
  monitoring: (
    <svg viewBox="0 0 240 92" className="w-full" aria-hidden="true" focusable="false">
      <path d="M0 12h240M0 46h240M0 80h240" className="stroke-line" strokeWidth="16" />
      <path d="M0 12h196M0 46h142" className="stroke-brand" strokeWidth="16" />
      <path d="M0 80h34" className="stroke-brand" strokeWidth="16" />
      <rect x="38" y="70" width="200" height="20" className="fill-accent" />
      <text x="138" y="84" textAnchor="middle" className="fill-on-accent text-xs font-bold">
        content gap
      </text>
    </svg>
  ),
  actions: (
    <ul className="rounded-md border border-line bg-raised p-3">
      {["Question to answer", "Points to cover", "Sources to cite"].map((line) => (
        <li key={line} className="flex gap-2">
          <CheckIcon className="size-5 text-success" />
          {line}
        </li>
      ))}
    </ul>
  ),
};

export function ProductSuite() {
  return (
    <section className="wrap section" aria-labelledby="suite">
      <h2 id="suite" className="max-w-3xl text-title">
        {suite.title}
      </h2>
      <p className="mt-5 text-xl text-muted">{suite.text}</p>
      <ol className="mt-14 grid gap-5 md:grid-cols-3">
        {suite.products.map(({ key, title, text }) => (
          <li key={key} className="card flex flex-col p-3">
            <div className="flex min-h-40 flex-col justify-center rounded-lg bg-sunken p-5 text-sm" aria-hidden="true">
              {views[key]}
            </div>
            <div className="px-4 pt-6 pb-5">
              <h3 className="text-heading">{title}</h3>
              <p className="mt-2 text-muted">{text}</p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
