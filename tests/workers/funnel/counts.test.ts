import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { showCount } from "../../../tools/start/worker-lines";
import { countsOf } from "../../support/visitors/funnel";
import { nonceIn, siteVisitor } from "../../support/visitors/site-visitor";
import { type RunningWorker, startSite, startStripeSimulator } from "../../support/workers/workers";

const BROWSER = {
  "User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36",
};
const LITE = "0b1f6c8e-2f57-4d3b-8c61-94e3a7d5f220";

/** A dataset of Analytics Engine that writes its data points down; Miniflare's own forgets them. */
const DATASET = /* js */ `
import worker from "./worker.js";
const FUNNEL = { writeDataPoint(point) { console.info(JSON.stringify({ event: "data point", ...point })); } };
export default { fetch: (request, env, context) => worker.fetch(request, { ...env, FUNNEL }, context) };
`;

const FAILING_DATASET = DATASET.replace(
  'console.info(JSON.stringify({ event: "data point", ...point }))',
  "throw new Error('no quota')",
);

describe("a funnel count", () => {
  const sites: RunningWorker[] = [];
  const start = async (options: Parameters<typeof startSite>[0] = {}) => {
    const site = await startSite(options);
    sites.push(site);
    return { site, visitor: siteVisitor(site) };
  };
  afterAll(() => Promise.all(sites.map((site) => site.dispose())));

  test("is written to the dataset with fixed values and nothing about the visitor [W2]", async () => {
    const { site, visitor } = await start({ wrapper: { script: DATASET } });
    const page = await visitor.get(`/subscription/${LITE.toUpperCase()}?utm_source=ada@example.com`, {
      ...BROWSER,
      "CF-Connecting-IP": "203.0.113.7",
    });
    await visitor.submit(
      { package_id: LITE, form_nonce: nonceIn(page), zipCode: "ada@example.com" },
      { ...BROWSER, "CF-Connecting-IP": "203.0.113.7" },
    );
    expect((await visitor.get("/subscription/somebody", BROWSER)).status).toBe(200);
    const points = () => site.logs.filter(({ event }) => event === "data point");
    await expect.poll(() => points().map(({ blobs }) => blobs)).toHaveLength(4);
    const point = (step: string, name: string, field = "none") => ({
      event: "data point",
      indexes: [step],
      blobs: [step, name, field],
      doubles: [1],
    });
    expect(points()).toEqual([
      point("form_opened", LITE),
      point("form_refused", LITE),
      point("field_refused", LITE, "zipCode"),
      point("form_opened", "other"),
    ]);
    expect(countsOf(site)).toEqual({});
  });

  test("that fails does not affect the visitor [W2]", async () => {
    const { visitor } = await start({ wrapper: { script: FAILING_DATASET } });
    expect((await visitor.get("/pricing", BROWSER)).status).toBe(200);
    expect((await visitor.get(`/subscription/${LITE}`, BROWSER)).status).toBe(200);
  });
});

describe("the simulator's funnel page", () => {
  let stripe: RunningWorker;
  let site: RunningWorker;
  beforeAll(async () => {
    [stripe, site] = await Promise.all([startStripeSimulator(), startSite()]);
  });
  afterAll(() => Promise.all([stripe.dispose(), site.dispose()]));

  const counts = z.object({
    data: z.array(z.object({ step: z.string(), package: z.string(), field: z.string(), count: z.number() })),
  });

  test("shows the Workers' logged counts by step, package and field [W2]", async () => {
    const visitor = siteVisitor(site);
    for (const path of ["/pricing", "/pricing", `/subscription/${LITE}`, "/subscription"])
      await visitor.get(path, BROWSER);
    await visitor.submit({ package_id: LITE, city: "", state: "" }, BROWSER);
    await expect.poll(() => Object.keys(countsOf(site))).toHaveLength(6);
    for (const line of site.output) await showCount(line, stripe.url);

    const shown = counts.parse(await (await fetch(`${stripe.url}/funnel/counts`)).json()).data;
    const tally = Object.fromEntries(shown.map((one) => [`${one.step} ${one.package} ${one.field}`, one.count]));
    expect(tally).toEqual(countsOf(site));
    const page = (await (await fetch(`${stripe.url}/funnel`)).text()).replaceAll(/\s+/g, " ");
    expect(page).toContain('<th scope="row">Plans viewed</th><td></td><td></td><td>2</td>');
    expect(page).toContain('<th scope="row">Form opened</th><td>LITE</td><td></td><td>1</td>');
    expect(page).toContain("<td>city</td><td>1</td>");
  });

  test("accepts only such counts", async () => {
    for (const step of ["<script>", "ada@example.com", 1]) {
      const body = JSON.stringify({ step, package: "none", field: "none" });
      expect((await fetch(`${stripe.url}/funnel`, { method: "POST", body })).status).toBe(422);
    }
  });
});
