import type { ReactNode } from "react";
import { features } from "./home-content";

const drawings: Record<(typeof features)[number]["key"], ReactNode> = {
  visibility: (
    <>
      <path d="M28 40h150M28 64h204M28 136h120" className="stroke-line" strokeWidth="9" strokeLinecap="round" />
      <rect x="22" y="82" width="176" height="30" rx="5" className="fill-accent" />
      <path d="M36 97h104" className="stroke-on-accent" strokeWidth="9" strokeLinecap="round" />
      <path d="m160 97 8 8 15-16" className="fill-none stroke-on-accent" strokeWidth="4" strokeLinecap="round" />
    </>
  ),
  competition: (
    <>
      <path d="M28 146h204" className="stroke-line-strong" strokeWidth="2" />
      <path d="M60 142v-52M110 142v-74M210 142v-30" className="stroke-line" strokeWidth="30" />
      <path d="M160 142V36" className="stroke-brand" strokeWidth="30" />
      <rect x="145" y="36" width="30" height="12" className="fill-accent" />
    </>
  ),
  content: (
    <>
      <rect x="62" y="18" width="136" height="144" rx="10" className="fill-raised stroke-line" strokeWidth="2" />
      <path d="M82 46h70M82 124h96M82 142h60" className="stroke-line" strokeWidth="8" strokeLinecap="round" />
      <rect x="62" y="62" width="136" height="46" className="fill-success-soft" />
      <path d="M100 76h78M100 94h52" className="stroke-success" strokeWidth="8" strokeLinecap="round" />
      <path d="M82 71v10M77 76h10M82 89v10M77 94h10" className="stroke-success" strokeWidth="2.5" />
    </>
  ),
};

export function Features() {
  return (
    <section id="features" className="wrap section" aria-labelledby="features-title">
      <h2 id="features-title" className="max-w-3xl text-title">
        Know what the answers say. Then change them.
      </h2>
      <ol className="mt-14 border-b border-line">
        {features.map(({ key, title, text }) => (
          <li key={key} className="feature">
            <span className="cite text-lg" aria-hidden="true" />
            <div>
              <h3 className="text-2xl font-bold">{title}</h3>
              <p className="mt-3 max-w-lg text-lg text-muted">{text}</p>
            </div>
            <svg viewBox="0 0 260 180" className="drawing" aria-hidden="true" focusable="false">
              {drawings[key]}
            </svg>
          </li>
        ))}
      </ol>
    </section>
  );
}
