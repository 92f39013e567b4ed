import { future, research } from "./home-content";
import { ResearchLink } from "./research-link";

export function FutureOfSearch() {
  return (
    <section className="bg-night text-on-night" aria-labelledby="future">
      <div className="wrap section">
        <p className="font-bold text-accent">Future of Search</p>
        <h2 id="future" className="mt-4 max-w-3xl text-title">
          {future.title}
        </h2>
        <DotPatterns />
        <ul className="mt-14 grid gap-x-8 gap-y-12 sm:grid-cols-3">
          {future.statistics.map(({ figure, text }) => (
            <li key={figure} className="border-t border-on-night-line pt-6">
              <Dots filled={Number.parseInt(figure, 10)} />
              <p className="mt-6 max-w-xs text-on-night-muted">
                <strong className="mb-2 block text-title text-on-night">{figure}</strong> {text}
              </p>
            </li>
          ))}
        </ul>
        <p className="mt-8 text-on-night-muted">
          {research.survey} <ResearchLink details={`, ${research.published}`} />
        </p>
        <figure className="mt-14 items-end justify-between gap-8 border-t border-on-night-line pt-10 lg:flex">
          <blockquote className="max-w-3xl font-display text-2xl leading-snug font-bold sm:text-3xl">
            “{future.quote}”
          </blockquote>
          <figcaption className="mt-6 shrink-0 text-on-night-muted">{research.firm}, the analyst firm</figcaption>
        </figure>
      </div>
    </section>
  );
}

/** A hundred dots in columns of five, the first `filled` of them highlighted. */
function Dots({ filled }: { filled: number }) {
  const columns = Math.floor(filled / 5);
  const rest = filled % 5;
  return (
    <svg
      width="200"
      height="50"
      viewBox="0 0 200 50"
      className="h-auto w-full max-w-xs"
      aria-hidden="true"
      focusable="false"
    >
      <rect width="200" height="50" fill="url(#dot-dim)" />
      <g fill="url(#dot-lit)">
        <rect width={columns * 10} height="50" />
        {rest > 0 && <rect x={columns * 10} width="10" height={rest * 10} />}
      </g>
    </svg>
  );
}

function DotPatterns() {
  const dots = { "dot-lit": "fill-accent", "dot-dim": "fill-on-night-line" };
  return (
    <svg width="0" height="0" className="absolute" aria-hidden="true" focusable="false">
      {Object.entries(dots).map(([id, fill]) => (
        <pattern key={id} id={id} width="10" height="10" patternUnits="userSpaceOnUse">
          <circle cx="5" cy="5" r="3.4" className={fill} />
        </pattern>
      ))}
    </svg>
  );
}
