const words = [
  {
    word: "GEO",
    meaning: "Generative engine optimization: work that helps AI search find, understand and cite your content.",
  },
  { word: "AI Overviews", meaning: "The AI-written summaries above Google’s search results." },
  { word: "AI Mode", meaning: "Google’s search that answers in a conversation." },
  { word: "Brief", meaning: "Instructions for one piece of content: the question, the reader and the format." },
  { word: "Piece", meaning: "A piece of content, such as an article." },
  { word: "Forward-deployed engineer", meaning: "An engineer who works directly with your team." },
];

export function Glossary() {
  return (
    <section className="wrap pb-24" aria-labelledby="glossary">
      <h2 id="glossary" className="text-title">
        What the words mean
      </h2>
      <ul className="mt-10 grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-3">
        {words.map(({ word, meaning }) => (
          <li key={word} className="text-muted">
            <strong className="mb-1 block text-ink">{word}:</strong> {meaning}
          </li>
        ))}
      </ul>
    </section>
  );
}
