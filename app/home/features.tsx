import type { ReactNode } from "react";
import { CompetitorsForPrompt, Draft, NamedByPlatform } from "./drawings/feature-drawings";
import { features } from "./home-content";

const drawings: Record<(typeof features)[number]["key"], ReactNode> = {
  visibility: <NamedByPlatform />,
  competition: <CompetitorsForPrompt />,
  content: <Draft />,
};

export function Features() {
  return (
    <section id="features" className="wrap section" aria-labelledby="features-title">
      <h2 id="features-title" className="max-w-3xl text-title">
        Know what the answers say. Then change them.
      </h2>
      <ol className="features mt-14">
        {features.map(({ key, title, text }) => (
          <li key={key} className="feature">
            <div className="feature-text">
              <h3 className="text-[clamp(1.15rem,7vw,1.5rem)] font-bold">{title}</h3>
              <p className="mt-2 max-w-lg text-lg text-muted">{text}</p>
            </div>
            <div className="feature-drawing">{drawings[key]}</div>
          </li>
        ))}
      </ol>
    </section>
  );
}
