import { ButtonLink } from "../ui/controls/button";
import { ArrowRightIcon } from "../ui/controls/icons";
import { Deliverables, Proof } from "./deliverables";
import { Drawing, Text } from "./drawings/drawing";
import { ProductView } from "./drawings/product-view";
import { forecast, hero, proof } from "./home-content";
import { ResearchLink } from "./research-link";

export function Hero() {
  return (
    <section className="wrap pt-6" aria-labelledby="hero">
      <div className="grid items-end gap-x-16 gap-y-12 lg:grid-cols-[minmax(0,1fr)_34%]">
        <div>
          <p className="eyebrow">{hero.eyebrow}</p>
          <h1 id="hero" className="mt-3 text-display lg:text-[min(4.5rem,5.6vw)]">
            {hero.headline}{" "}
            <span className="inline-block">
              {hero.ending} <mark>{hero.cited}</mark>
            </span>
          </h1>
          <p className="mt-5 max-w-2xl text-xl text-muted">{hero.text}</p>
          <div className="mt-7 flex flex-wrap gap-3">
            <ButtonLink href="/pricing" size="lg">
              Get Started
              <ArrowRightIcon />
            </ButtonLink>{" "}
            <ButtonLink href="#features" size="lg" variant="secondary">
              Learn More
            </ButtonLink>
          </div>
          <p className="mt-3 text-muted">{hero.terms}</p>
        </div>
        <ForecastCard />
      </div>
      <ProductView />
      <Proof {...proof} />
      <Deliverables />
    </section>
  );
}

function ForecastCard() {
  return (
    <aside
      aria-label="Forecast"
      className="night overflow-hidden rounded-xl bg-night text-on-night md:grid md:grid-cols-2 lg:block"
    >
      <div className="p-[min(1.75rem,7vw)] pb-0 md:pb-7 lg:pb-0">
        <p className="font-display text-[min(3rem,16vw)] leading-none font-bold text-accent" aria-hidden="true">
          {forecast.figure}
        </p>
        <p className="mt-3 text-heading">{forecast.text}</p>
        <p className="mt-3">
          <ResearchLink />
        </p>
      </div>
      <Drawing title="Organic search traffic, cut by half by 2028" height={124} className="self-end">
        <path d="M0 48C90 48 130 54 180 72S275 87 320 87V124H0Z" className="fill-night-raised" />
        <path d="M0 48H320" className="stroke-on-night-line" strokeWidth="2" strokeDasharray="2 7" />
        <path
          d="M0 48C90 48 130 54 180 72S260 86 292 87"
          className="drawn fill-none stroke-accent"
          strokeWidth="3"
          pathLength="1"
        />
        <circle cx="292" cy="87" r="5" className="fill-night stroke-accent" strokeWidth="3" />
        <Text x="24" y="36" className="fill-on-night-muted">
          Organic traffic today
        </Text>
        <Text x="292" y="114" textAnchor="middle" className="fill-on-night-muted">
          2028
        </Text>
      </Drawing>
    </aside>
  );
}
