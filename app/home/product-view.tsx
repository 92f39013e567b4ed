import { DecorativeText } from "../ui/decorative-text";
import { BriefIcon, CheckIcon, SparkIcon } from "../ui/icons";

const prompts = [
  { question: "Which brand should I choose?", cited: true },
  { question: "What do experts recommend?", cited: true },
  { question: "Which one suits a small team?", cited: false },
  { question: "What are the alternatives?", cited: true },
  { question: "Which has the best support?", cited: false },
];

/** An illustration without real data; the caption describes it to visitors who do not see it. */
export function ProductView() {
  return (
    <figure className="stage mt-14">
      <div className="product-view lifted" aria-hidden="true">
        <div className="product-pane product-prompts">
          <DecorativeText text="Prompts" className="label" />
          <div className="mt-4 grid gap-1 text-sm">
            {prompts.map(({ question, cited }, index) => (
              <div key={question} className={`prompt-row ${index === 0 ? "bg-brand-soft" : ""}`}>
                <DecorativeText text={question} />
                <DecorativeText text={cited ? "cited" : "gap"} className={cited ? "cited" : "not-cited"} />
              </div>
            ))}
          </div>
        </div>
        <div className="product-pane">
          <div className="flex flex-wrap gap-2 text-sm">
            <DecorativeText text="ChatGPT" className="engine engine-selected" />
            <DecorativeText text="Perplexity" className="engine" />
            <DecorativeText text="Gemini" className="engine" />
          </div>
          <div className="mt-6 ml-auto w-fit rounded-lg bg-brand-soft px-4 py-2.5">
            <DecorativeText text="Which brand should I choose?" />
          </div>
          <div className="mt-6 flex items-center gap-2 text-sm font-bold text-brand">
            <SparkIcon />
            <DecorativeText text="AI answer" />
          </div>
          <div className="mt-2 text-lg leading-relaxed">
            <DecorativeText text="For what you describe, " />
            <DecorativeText as="mark" text="Your Brand" className="font-bold" />{" "}
            <DecorativeText text="1" className="cite" />
            <DecorativeText text=" is the one most sources point to. Its own guide answers your question in full. " />
            <DecorativeText text="1" className="cite" />
            <DecorativeText text=" An alternative is named less often. " />
            <DecorativeText text="2" className="cite" />
          </div>
          <div className="mt-6 flex flex-wrap gap-2 text-sm">
            <span className="source">
              <DecorativeText text="1" className="cite" /> <DecorativeText text="yourbrand.example" />
            </span>
            <span className="source text-muted">
              <DecorativeText text="2" className="cite" /> <DecorativeText text="competitor.example" />
            </span>
          </div>
        </div>
        <div className="product-pane product-results">
          <div className="flex items-baseline justify-between gap-3">
            <DecorativeText text="AI visibility" className="label" />
            <DecorativeText text="by month" className="text-sm text-muted" />
          </div>
          <VisibilityChart />
          <div className="mt-3 flex flex-wrap gap-x-5 text-sm">
            <DecorativeText text="Your Brand" className="legend text-brand" />
            <DecorativeText text="Competitor" className="legend text-muted" />
          </div>
          <div className="mt-6 rounded-lg border border-line p-4 text-sm">
            <div className="flex items-center gap-2 font-bold">
              <BriefIcon className="size-5 text-brand" />
              <DecorativeText text="Content brief" />
            </div>
            <div className="mt-1 text-muted">
              <DecorativeText text="“Which one suits a small team?”" />
            </div>
            <div className="mt-3 flex items-center gap-1.5 font-bold text-success">
              <CheckIcon />
              <DecorativeText text="Ready for AI search" />
            </div>
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
