/** Stands in for tests/support/fast-api/build.ts: nothing is built. */
export async function fastApi(): Promise<{ bundle: string }> {
  return { bundle: "subscription-api/fast-api.js" };
}
