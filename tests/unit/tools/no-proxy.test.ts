import { expect, onTestFinished, test, vi } from "vitest";
import { askThisMachineDirectly } from "../../../tools/no-proxy";

const OWN = "localhost,127.0.0.1,[::1],::1";

test("whatever imports ToolError asks this machine directly", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of ["NO_PROXY", "no_proxy"]) vi.stubEnv(name, undefined);
  vi.resetModules();
  await import("../../../tools/failures");
  expect(process.env.NO_PROXY).toBe(OWN);
});

test.each<{ known: NodeJS.ProcessEnv; hosts: string }>([
  { known: { NO_PROXY: "acme.com, localhost" }, hosts: `acme.com,${OWN}` },
  { known: { no_proxy: ".acme.com", NO_PROXY: "not-read" }, hosts: `.acme.com,${OWN}` },
])("$known becomes $hosts in both spellings, and * stays", ({ known, hosts }) => {
  const [environment, everything] = [{ ...known }, { NO_PROXY: "*" }];
  for (const one of [environment, everything]) askThisMachineDirectly(one);
  expect({ environment, everything }).toEqual({
    environment: { NO_PROXY: hosts, no_proxy: hosts },
    everything: { NO_PROXY: "*" },
  });
});
