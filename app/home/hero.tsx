import { ButtonLink } from "../ui/button";
import { ArrowRightIcon, ExternalIcon } from "../ui/icons";
import { useSite } from "../ui/site";
import { forecast, hero, platforms } from "./home-content";
import { ProductView } from "./product-view";

export function Hero() {
  return (
    <section className="wrap pt-10 sm:pt-16" aria-labelledby="hero">
      <div className="grid items-center gap-14 lg:grid-cols-2">
        <div>
          <p className="eyebrow">{hero.eyebrow}</p>
          <h1 id="hero" className="mt-4 text-wrap text-display">
            {hero.headline} <mark>{hero.cited}</mark>
          </h1>
          <p className="mt-7 max-w-xl text-xl text-muted">{hero.text}</p>
          <div className="mt-9 flex flex-wrap gap-3">
            <ButtonLink href="/pricing" size="lg">
              Get Started
              <ArrowRightIcon />
            </ButtonLink>{" "}
            <ButtonLink href="#features" size="lg" variant="secondary">
              Learn More
            </ButtonLink>
          </div>
        </div>
        <ProductView />
      </div>
      <ForecastCard />
      <div className="mt-10 flex flex-wrap items-baseline gap-x-8 gap-y-2">
        <p className="text-muted">Made for the answers of</p>
        <ul className="flex flex-wrap gap-x-8 gap-y-2 font-bold">
          {platforms.map((platform) => (
            <li key={platform}>{platform}</li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function ForecastCard() {
  const { researchUrl } = useSite();
  return (
    <aside
      aria-label="Forecast"
      className="card lifted mt-16 grid items-center gap-x-10 gap-y-4 overflow-hidden px-7 pt-7 sm:px-10 md:grid-cols-3 md:pt-0"
    >
      <p className="text-display text-brand" aria-hidden="true">
        {forecast.figure}
      </p>
      <div className="md:py-9">
        <p className="text-heading">{forecast.text}</p>
        <a href={researchUrl} className="text-link mt-2 inline-flex items-center gap-1.5">
          {forecast.source}
          <ExternalIcon className="size-4" />
        </a>
      </div>
      <svg viewBox="0 0 320 130" className="w-full self-end" aria-hidden="true" focusable="false">
        <path d="M0 28C90 28 130 34 180 58S270 78 320 79V130H0Z" className="fill-brand-soft" />
        <path d="M0 28H320" className="stroke-line-strong" strokeDasharray="2 6" />
        <path d="M0 28C90 28 130 34 180 58S270 78 316 79" className="fill-none stroke-brand" strokeWidth="3" />
        <circle cx="314" cy="79" r="6" className="fill-accent stroke-ink" strokeWidth="2" />
        <g className="fill-muted text-xs">
          <text y="18">organic traffic today</text>
          <text x="318" y="108" textAnchor="end">
            2028
          </text>
        </g>
      </svg>
    </aside>
  );
}
