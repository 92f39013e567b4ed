import type { ReactNode } from "react";
import { CheckIcon } from "../ui/icons";
import { suite } from "./home-content";

const views: Record<(typeof suite.products)[number]["key"], ReactNode> = {
  prompts: (
    <>
      <p className="flex flex-wrap items-center gap-2 font-bold">
        <span className="engine">keyword</span> <span aria-hidden="true">+</span>{" "}
        <span className="engine">persona</span>
      </p>
      <p className="mt-4 rounded-lg border border-line bg-raised p-4 text-base">
        “As a <mark>persona</mark>, which <mark>keyword</mark> should I choose?”
      </p>
    </>
  ),
  monitoring: (
    <svg viewBox="0 0 260 130" className="w-full" aria-hidden="true" focusable="false">
      <path d="M0 16h260M0 50h260M0 84h260M0 118h260" className="stroke-line" strokeWidth="20" />
      <path d="M0 16h212M0 50h154M0 84h36M0 118h188" className="stroke-brand" strokeWidth="20" />
      <rect x="44" y="72" width="214" height="24" rx="3" className="fill-accent" />
      <text x="151" y="88.5" textAnchor="middle" className="fill-on-accent font-bold" fontSize="14">
        content gap
      </text>
    </svg>
  ),
  actions: (
    <ul className="grid gap-2 rounded-lg border border-line bg-raised p-4 text-base">
      {["Question to answer", "Points to cover", "Sources to cite"].map((line) => (
        <li key={line} className="flex items-center gap-2">
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
      <div className="grid items-end gap-x-16 gap-y-5 lg:grid-cols-2">
        <h2 id="suite" className="text-title">
          {suite.title}
        </h2>
        <p className="text-xl text-muted">{suite.text}</p>
      </div>
      <ol className="suite mt-14">
        {suite.products.map(({ key, title, text }) => (
          <li key={key} className="card flex flex-col p-3">
            <div className="suite-view" aria-hidden="true">
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
