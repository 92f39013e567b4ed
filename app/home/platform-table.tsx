import { onRequest, platforms } from "../pricing/plans/platforms";

const rows = [
  { plans: "MINI, LITE", tracked: platforms.lite },
  { plans: "STANDARD", tracked: platforms.standard },
  { plans: "ENTERPRISE/AGENCY", tracked: platforms.enterprise },
];

export function PlatformTable() {
  return (
    <div className="mt-14 border-y border-line py-8 md:grid md:grid-cols-[1fr_2fr] md:gap-8">
      <div>
        <h2 className="text-heading">Platforms by&nbsp;plan</h2>
        <p className="mt-1 text-muted">{onRequest}</p>
      </div>
      <table className="platforms">
        <thead className="sr-only">
          <tr>
            <th scope="col">Plan</th>
            <th scope="col">Platforms</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ plans, tracked }) => (
            <tr key={plans}>
              <th scope="row">{plans}</th>
              <td>{tracked.join(", ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
