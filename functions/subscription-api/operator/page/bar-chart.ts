import { html } from "hono/html";

export interface Bar {
  label: string;
  values: ReadonlyMap<string, number>;
}

const WIDTH = 720;
const HEIGHT = 200;
const GAP = 0.25;

/**
 * The stylesheet gives the nth series the color of `.series-n`.
 * @param names of the series, by their keys in the bars' values
 */
export function barChart(title: string, names: Record<string, string>, bars: readonly Bar[]) {
  const series = Object.entries(names);
  const totals = bars.map(({ values }) => series.reduce((sum, [key]) => sum + (values.get(key) ?? 0), 0));
  const most = Math.max(1, ...totals);
  const step = WIDTH / bars.length;
  const rects = bars.flatMap(({ label, values }, index) => {
    let top = HEIGHT;
    return series.map(([key, name], at) => {
      const value = values.get(key) ?? 0;
      const height = (value / most) * HEIGHT;
      top -= height;
      if (value === 0) return "";
      return html`<rect class="series-${at}" x="${(index + GAP / 2) * step}" y="${top}" width="${step * (1 - GAP)}" height="${height}"><title>${label}, ${name}: ${value}</title></rect>`;
    });
  });
  return html`<figure>
<figcaption>${title}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}: the table below has the figures">${rects}</svg>
<p class="axis"><span>${bars.at(0)?.label}</span><span>most: ${most}</span><span>${bars.at(-1)?.label}</span></p>
<ul class="legend">${series.map(([, name], at) => html`<li><span class="swatch series-${at}"></span>${name}</li>`)}</ul>
<details><summary>As a table</summary>
<div class="scroll" role="region" tabindex="0" aria-label="${title}"><table>
<thead><tr><th scope="col">Day</th>${series.map(([, name]) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${bars.map(
    ({ label, values }) =>
      html`<tr><th scope="row">${label}</th>${series.map(([key]) => html`<td>${values.get(key) ?? 0}</td>`)}</tr>`,
  )}</tbody>
</table></div></details>
</figure>`;
}

export function barTable(title: string, rows: readonly { label: string; value: number }[]) {
  const most = Math.max(1, ...rows.map(({ value }) => value));
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${title}"><table>
<caption>${title}</caption>
<tbody>${rows.map(
    ({ label, value }) =>
      html`<tr><th scope="row">${label}</th><td>${value}</td><td class="bar"><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="series-2" width="${(value / most) * 100}" height="10"></rect></svg></td></tr>`,
  )}</tbody>
</table></div>`;
}
