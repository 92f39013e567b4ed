import { expect, onTestFinished, test } from "vitest";
import { callApi } from "../../../../tools/operator/call-api";
import { startUpstream } from "../../../support/workers/upstream";

test("a command keeps no connection open, which the API may have closed by the next one", async () => {
  const api = await startUpstream();
  onTestFinished(api.dispose);
  api.answersJson(200, { prices: [] });
  await callApi({ url: api.url, token: "a-token" }, "catalog");
  expect(api.calls.map(({ headers }) => headers.connection)).toEqual(["close"]);
});
