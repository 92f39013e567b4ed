import type { ReactNode } from "react";
import { DecorativeText } from "../ui/decorative-text";
import { CheckIcon } from "../ui/icons";
import { suite } from "./home-content";

const views: Record<(typeof suite.products)[number]["key"], ReactNode> = {
  prompts: (
    <>
      <div className="flex flex-wrap items-center gap-2 font-bold">
        <DecorativeText text="keyword" className="engine" />
        <DecorativeText text="+" />
        <DecorativeText text="persona" className="engine" />
      </div>
      <div className="mt-4 rounded-lg border border-line bg-raised p-4 text-base">
        <DecorativeText text="“As a " />
        <DecorativeText as="mark" text="persona" />
        <DecorativeText text=", which " />
        <DecorativeText as="mark" text="keyword" />
        <DecorativeText text=" should I choose?”" />
      </div>
    </>
  ),
  monitoring: (
    <div className="grid gap-4">
      <span className="bar w-4/5" />
      <span className="bar w-3/5" />
      <div className="flex gap-2">
        <span className="bar w-1/6" />
        <DecorativeText text="content gap" className="gap-bar" />
      </div>
      <span className="bar w-3/4" />
    </div>
  ),
  actions: (
    <div className="grid gap-2 rounded-lg border border-line bg-raised p-4 text-base">
      {["Question to answer", "Points to cover", "Sources to cite"].map((line) => (
        <div key={line} className="flex items-center gap-2">
          <CheckIcon className="size-5 text-success" />
          <DecorativeText text={line} />
        </div>
      ))}
    </div>
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
          <li key={key} className="card suite-card">
            <div className="px-4 pt-6 pb-5">
              <h3 className="text-heading">{title}</h3>
              <p className="mt-2 text-muted">{text}</p>
            </div>
            <div className="suite-view" aria-hidden="true">
              {views[key]}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
