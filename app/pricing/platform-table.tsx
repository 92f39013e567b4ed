import { platformRows } from "./plans/platform-rows";

export function PlatformTable() {
  return (
    <div className="mt-10 border-t border-line pt-8 md:grid md:grid-cols-[1fr_2fr] md:gap-8">
      <div>
        <h2 className="text-heading">Platforms by&nbsp;plan</h2>
        <p className="mt-2 text-sm text-muted">
          AI Overviews are the summaries above Google’s results; in AI Mode, Google answers in a conversation.
        </p>
      </div>
      <table className="platforms">
        <thead className="sr-only">
          <tr>
            <th scope="col">Plan</th>
            <th scope="col">Platforms</th>
          </tr>
        </thead>
        <tbody>
          {platformRows().map(({ titles, platforms }) => (
            <tr key={titles.join()}>
              <th scope="row">{titles.join(", ")}</th>
              <td>{platforms.join(", ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
