import { glossary } from "./pricing-content";

export function Glossary() {
  return (
    <section className="wrap section" aria-labelledby="glossary">
      <h2 id="glossary" className="text-title">
        What the words mean
      </h2>
      <ul className="mt-10 grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-3">
        {glossary.map(({ word, meaning }) => (
          <li key={word} className="text-muted">
            <strong className="mb-1 block text-ink">
              {word}
              <span className="sr-only">:</span>
            </strong>{" "}
            {meaning}
          </li>
        ))}
      </ul>
    </section>
  );
}
