const brief = [
  { part: "Prompt", text: "Cargo bike or second car?" },
  { part: "Gap", text: "ChatGPT and Perplexity answer without naming Norvane." },
  { part: "Reader", text: "Parent of two, in a city, who owns one car." },
  { part: "Format", text: "Short answer, then a table. About 900 words." },
  {
    part: "Answer first",
    text: "Say in the first paragraph which trips a cargo bike replaces, and which it does not.",
  },
  { part: "Then", text: "Five years of costs in a table: purchase, insurance, energy, repairs and parking." },
  { part: "Cite", text: "A source for each cost, with its date." },
];

/** The first rows of public/example/export.csv. */
const rows = [
  ["Best cargo bike for daily commutes", "ChatGPT", "true"],
  ["Best cargo bike for daily commutes", "Perplexity", "true"],
  ["Cargo bike for a small apartment", "ChatGPT", "true"],
  ["Cargo bike for a small apartment", "Perplexity", "true"],
  ["Which cargo bike carries a dog?", "ChatGPT", "true"],
  ["Which cargo bike carries a dog?", "Perplexity", "false"],
];

/** What subscribers receive, of an invented brand. */
export function Samples() {
  return (
    <section className="wrap pb-24" aria-labelledby="samples">
      <h2 id="samples" className="text-title">
        What you get
      </h2>
      <div className="mt-10 grid gap-5 lg:grid-cols-2">
        <div className="card sample">
          <SampleTitle title="A content brief" />
          <p className="mt-1 text-muted">For the writers of Norvane, an invented maker of cargo bikes.</p>
          <table className="mt-5">
            <thead className="sr-only">
              <tr>
                <th scope="col">Part</th>
                <th scope="col">Brief</th>
              </tr>
            </thead>
            <tbody>
              {brief.map(({ part, text }) => (
                <tr key={part}>
                  <th scope="row">{part}</th>
                  <td>{text}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <div className="card sample">
          <SampleTitle title="An export" />
          <p className="mt-1 text-muted">One row for each answer, of the same brand.</p>
          <table className="mt-5">
            <thead>
              <tr>
                <th scope="col">prompt</th>
                <th scope="col">platform</th>
                <th scope="col">named</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.join()}>
                  {row.map((cell) => (
                    <td key={cell}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          <p className="mt-5">
            Download the example:{" "}
            <a href="/example/export.csv" download="example-export.csv" className="text-link">
              CSV
            </a>{" "}
            or{" "}
            <a href="/example/export.json" download="example-export.json" className="text-link">
              JSON
            </a>
          </p>
        </div>
      </div>
    </section>
  );
}

function SampleTitle({ title }: { title: string }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <h3 className="text-heading">{title}</h3>
      <p className="badge bg-accent text-on-accent">Example</p>
    </div>
  );
}
