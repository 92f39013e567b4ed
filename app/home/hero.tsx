import { ButtonLink } from "../ui/button";
import { DecorativeText } from "../ui/decorative-text";
import { ArrowRightIcon, ExternalIcon } from "../ui/icons";
import { useSite } from "../ui/site";
import { forecast, hero, platforms } from "./home-content";
import { ProductView } from "./product-view";

export function Hero() {
  return (
    <section className="wrap pt-10 sm:pt-14" aria-labelledby="hero">
      <div className="grid items-end gap-x-16 gap-y-12 lg:grid-cols-[minmax(0,1fr)_22rem] xl:grid-cols-[minmax(0,1fr)_25rem]">
        <div>
          <p className="eyebrow">{hero.eyebrow}</p>
          <h1 id="hero" className="mt-4 text-wrap text-display">
            {hero.headline} <mark>{hero.cited}</mark>
          </h1>
          <p className="mt-7 max-w-2xl text-xl text-muted">{hero.text}</p>
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
        <ForecastCard />
      </div>
      <ProductView />
      <div className="mt-12 flex flex-wrap items-baseline gap-x-10 gap-y-3 border-y border-line py-6">
        <p className="text-muted">Made for the answers of</p>
        <ul className="flex flex-wrap gap-x-10 gap-y-3 font-display text-lg font-bold">
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
      className="night overflow-hidden rounded-xl bg-night text-on-night md:grid md:grid-cols-2 lg:block"
    >
      <div className="p-7 pb-0 md:pb-7 lg:pb-0">
        <p className="text-display text-accent" aria-hidden="true">
          {forecast.figure}
        </p>
        <p className="mt-3 text-heading">{forecast.text}</p>
        <a href={researchUrl} className="mt-3 inline-flex items-center gap-1.5 font-bold text-accent underline">
          {forecast.source}
          <ExternalIcon className="size-4" />
        </a>
      </div>
      <div className="forecast-chart" aria-hidden="true">
        <DecorativeText text="organic traffic today" className="top-0 left-7" />
        <svg viewBox="0 0 400 100" className="w-full" aria-hidden="true" focusable="false">
          <path d="M0 8C110 8 160 14 222 36S340 56 400 57V100H0Z" className="fill-night-raised" />
          <path d="M0 8H400" className="stroke-on-night-line" strokeWidth="2" strokeDasharray="2 7" />
          <path d="M0 8C110 8 160 14 222 36S340 56 372 57" className="fill-none stroke-accent" strokeWidth="3" />
          <circle cx="372" cy="57" r="6" className="fill-night stroke-accent" strokeWidth="3" />
        </svg>
        <DecorativeText text="2028" className="right-4 bottom-2" />
      </div>
    </aside>
  );
}
