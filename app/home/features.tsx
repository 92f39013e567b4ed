import type { ReactNode } from "react";
import { DecorativeText } from "../ui/decorative-text";
import { PlusIcon } from "../ui/icons";
import { features } from "./home-content";

const drawings: Record<(typeof features)[number]["key"], ReactNode> = {
  visibility: <CitationMatrix />,
  competition: <ShareOfAnswers />,
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
              <h3 className="text-2xl font-bold">{title}</h3>
              <p className="mt-2 max-w-lg text-lg text-muted">{text}</p>
            </div>
            <div className="feature-drawing" aria-hidden="true">
              {drawings[key]}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

const engines = ["ChatGPT", "Perplexity", "Gemini"];
const citations = [
  [true, true, true],
  [true, true, false],
  [true, false, true],
  [false, true, false],
  [false, false, true],
  [true, false, false],
];

function CitationMatrix() {
  return (
    <div className="w-full rounded-lg border border-line bg-raised p-4 sm:p-7">
      <div className="matrix-row pb-4 font-bold">
        <DecorativeText text="Prompt" />
        {engines.map((engine) => (
          <DecorativeText key={engine} text={engine} className="text-center" />
        ))}
      </div>
      {citations.map((row, index) => (
        <div key={row.join()} className="matrix-row border-t border-line py-5">
          <span className="prompt-line" data-long={index % 2 === 0 || undefined} />
          {row.map((cited, column) => (
            <DecorativeText
              key={engines[column]}
              text={cited ? "[1]" : ""}
              className={cited ? "matrix-cited" : "matrix-empty"}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

function ShareOfAnswers() {
  const shares = [
    { name: "Your Brand", width: "82%", own: true },
    { name: "Competitor A", width: "61%", own: false },
    { name: "Competitor B", width: "44%", own: false },
  ];
  return (
    <div className="grid w-full gap-3 text-sm">
      {shares.map(({ name, width, own }) => (
        <div key={name} className="share-row">
          <DecorativeText text={name} className={own ? "font-bold" : "text-muted"} />
          <svg
            viewBox="0 0 100 10"
            preserveAspectRatio="none"
            className="h-7 w-full"
            aria-hidden="true"
            focusable="false"
          >
            <rect width="100%" height="10" className="fill-line" />
            <rect width={width} height="10" className={own ? "fill-brand" : "fill-line-strong"} />
          </svg>
        </div>
      ))}
    </div>
  );
}

function Draft() {
  return (
    <div className="w-full rounded-lg border border-line bg-raised p-5 text-sm">
      <span className="prompt-line" data-long />
      <div className="mt-3 flex items-center gap-2 rounded-md bg-success-soft px-3 py-2 font-bold text-success">
        <PlusIcon className="size-4" />
        <DecorativeText text="Answer the question in one paragraph" />
      </div>
      <div className="mt-2 flex items-center gap-2 rounded-md bg-success-soft px-3 py-2 font-bold text-success">
        <PlusIcon className="size-4" />
        <DecorativeText text="Name the sources" />
      </div>
      <span className="prompt-line mt-4" />
    </div>
  );
}
