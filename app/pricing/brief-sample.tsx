const rows = [
  { part: "Gap", text: "ChatGPT and Perplexity answer without naming Norvane." },
  { part: "Reader", text: "Parent of two, in a city, who owns one car." },
  { part: "Format", text: "Short answer, then a table. About 900 words." },
  {
    part: "Answer first",
    text: "Which trips a cargo bike replaces, and which it does not.",
  },
  { part: "Then", text: "Five years of costs in a table: purchase, insurance, energy, repairs and parking." },
  { part: "Cite", text: "A source for each cost, with its date." },
];

export function BriefSample() {
  return (
    <section className="wrap grid gap-8 pb-16 sm:pb-24 lg:grid-cols-3 lg:gap-12" aria-labelledby="brief">
      <div>
        <h2 id="brief" className="text-title">
          What a content brief looks like
        </h2>
        <p className="mt-4 text-muted">
          A brief says what to write and why: the prompt, the gap in the answers, the reader and the format. This one is
          for Norvane, an invented maker of cargo bikes.
        </p>
      </div>
      <div className="card brief lg:col-span-2">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p className="eyebrow">Prompt</p>
          <p className="badge bg-accent text-on-accent">Example</p>
        </div>
        <h3 className="mt-1 text-heading">Cargo bike or second car?</h3>
        <table className="mt-4">
          <thead className="sr-only">
            <tr>
              <th scope="col">Part</th>
              <th scope="col">Brief</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ part, text }) => (
              <tr key={part}>
                <th scope="row">{part}</th>
                <td>{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
