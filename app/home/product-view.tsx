import { BriefIcon, CheckIcon, SparkIcon } from "../ui/icons";

const prompts = [
  { question: "Which brand should I choose?", cited: true },
  { question: "What do experts recommend?", cited: true },
  { question: "Which one suits a small team?", cited: false },
  { question: "What are the alternatives?", cited: true },
  { question: "Which has the best support?", cited: false },
];

/**
 * A drawing of the product at work: the prompts, an AI answer in which a brand is cited, and its visibility. It shows no
 * real data, and to those who do not see it the caption says what it shows.
 */
export function ProductView() {
  return (
    <figure className="stage mt-14">
      <div className="product-view lifted" aria-hidden="true">
        <div className="product-pane product-prompts">
          <p className="label">Prompts</p>
          <ul className="mt-4 grid gap-1 text-sm">
            {prompts.map(({ question, cited }, index) => (
              <li key={question} className={`prompt-row ${index === 0 ? "bg-brand-soft" : ""}`}>
                <span>{question}</span>
                <span className={cited ? "cited" : "not-cited"}>{cited ? "cited" : "gap"}</span>
              </li>
            ))}
          </ul>
        </div>
        <div className="product-pane">
          <p className="flex flex-wrap gap-2 text-sm">
            <span className="engine engine-selected">ChatGPT</span> <span className="engine">Perplexity</span>{" "}
            <span className="engine">Gemini</span>
          </p>
          <p className="mt-6 ml-auto w-fit rounded-lg bg-brand-soft px-4 py-2.5">Which brand should I choose?</p>
          <p className="mt-6 flex items-center gap-2 text-sm font-bold text-brand">
            <SparkIcon />
            AI answer
          </p>
          <p className="mt-2 text-lg leading-relaxed">
            For what you describe, <mark className="font-bold">Your Brand</mark> <span className="cite">1</span> is the
            one most sources point to. Its own guide answers your question in full. <span className="cite">1</span> An
            alternative is named less often. <span className="cite">2</span>
          </p>
          <p className="mt-6 flex flex-wrap gap-2 text-sm">
            <span className="source">
              <span className="cite">1</span> yourbrand.example
            </span>{" "}
            <span className="source text-muted">
              <span className="cite">2</span> competitor.example
            </span>
          </p>
        </div>
        <div className="product-pane product-results">
          <p className="flex items-baseline justify-between gap-3">
            <span className="label">AI visibility</span> <span className="text-sm text-muted">by month</span>
          </p>
          <VisibilityChart />
          <p className="mt-3 flex flex-wrap gap-x-5 text-sm">
            <span className="legend text-brand">Your Brand</span> <span className="legend text-muted">Competitor</span>
          </p>
          <div className="mt-6 rounded-lg border border-line p-4 text-sm">
            <p className="flex items-center gap-2 font-bold">
              <BriefIcon className="size-5 text-brand" />
              Content brief
            </p>
            <p className="mt-1 text-muted">“Which one suits a small team?”</p>
            <p className="mt-3 flex items-center gap-1.5 font-bold text-success">
              <CheckIcon />
              Ready for AI search
            </p>
          </div>
        </div>
      </div>
      <figcaption className="mt-4 text-center text-sm text-muted">
        Illustration with placeholder data: tracked prompts, an AI answer that cites Your Brand, and its visibility
        rising month by month.
      </figcaption>
    </figure>
  );
}

function VisibilityChart() {
  return (
    <svg viewBox="0 0 340 150" className="mt-3 w-full" aria-hidden="true" focusable="false">
      <path d="M0 20H340M0 60H340M0 100H340M0 140H340" className="stroke-line" />
      <path d="M4 122C50 120 80 112 120 96S190 74 230 58 300 34 328 26V140H4Z" className="fill-brand-soft" />
      <path d="M4 76C60 72 90 82 140 80S232 90 336 98" className="fill-none stroke-muted" strokeWidth="2" />
      <path
        d="M4 122C50 120 80 112 120 96S190 74 230 58 300 34 328 26"
        className="fill-none stroke-brand"
        strokeWidth="3.5"
        strokeLinecap="round"
      />
      <circle cx="328" cy="26" r="7" className="fill-accent stroke-ink" strokeWidth="2" />
    </svg>
  );
}
