import type { ReactNode } from "react";
import { Brief, Dashboard, PromptFromPersona } from "./drawings/suite-drawings";
import { suite } from "./home-content";

const drawings: Record<(typeof suite.products)[number]["key"], ReactNode> = {
  prompts: <PromptFromPersona />,
  monitoring: <Dashboard />,
  actions: <Brief />,
};

export function ProductSuite() {
  return (
    <section className="wrap section" aria-labelledby="suite">
      <h2 id="suite" className="text-title">
        {suite.title}
      </h2>
      <p className="mt-4 text-xl text-muted">{suite.text}</p>
      <ol className="suite mt-14">
        {suite.products.map(({ key, title, text }) => (
          <li key={key} className="card suite-card">
            <div className="px-[min(1rem,4vw)] pt-6 pb-5">
              <h3 className="text-heading">{title}</h3>
              <p className="mt-2 text-muted">{text}</p>
            </div>
            <div className="suite-drawing">{drawings[key]}</div>
          </li>
        ))}
      </ol>
    </section>
  );
}
