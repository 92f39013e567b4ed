import { platformRows } from "../pricing/plans/platform-rows";

export function PlatformTable() {
  return (
    <div className="mt-14 border-y border-line py-8 md:grid md:grid-cols-[1fr_2fr] md:gap-8">
      <div>
        <h2 className="text-heading">Platforms by&nbsp;plan</h2>
        <p className="mt-1 text-muted">Every plan has unlimited domains and seats.</p>
        <p className="mt-3 text-sm text-muted">
          AI Overviews are the summaries above Google’s results; in AI Mode, Google answers in a conversation. DeepSeek
          answers buyers’ questions too, but no plan tracks it.
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
