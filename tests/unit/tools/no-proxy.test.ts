import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { EnvHttpProxyAgent, fetch } from "undici";
import { expect, onTestFinished, test, vi } from "vitest";
import { askThisMachineDirectly } from "../../../tools/no-proxy";

/** A proxy where nothing listens, so that whatever is asked through it fails. */
const PROXY = "http://127.0.0.1:1";

test("whatever imports ToolError asks this machine directly, by each of its names", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of ["NO_PROXY", "no_proxy"]) vi.stubEnv(name, undefined);
  vi.resetModules();
  await import("../../../tools/failures");
  const dispatcher = new EnvHttpProxyAgent({ httpProxy: PROXY, noProxy: String(process.env.NO_PROXY) });
  const server = createServer((_request, response) => response.end("answered")).listen(0);
  await once(server, "listening");
  onTestFinished(async () => {
    await dispatcher.close();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  for (const host of ["localhost", "127.0.0.1", "[::1]"])
    expect(await (await fetch(`http://${host}:${port}/`, { dispatcher })).text(), host).toBe("answered");
});

test.each<{ known: NodeJS.ProcessEnv; hosts: string }>([
  { known: {}, hosts: "localhost,127.0.0.1,[::1],::1" },
  { known: { NO_PROXY: "acme.com, localhost" }, hosts: "acme.com,localhost,127.0.0.1,[::1],::1" },
  { known: { no_proxy: ".acme.com", NO_PROXY: "not-read" }, hosts: ".acme.com,localhost,127.0.0.1,[::1],::1" },
])("$known becomes $hosts in both spellings, and * stays", ({ known, hosts }) => {
  const [environment, everything] = [{ ...known }, { NO_PROXY: "*" }];
  for (const one of [environment, everything]) askThisMachineDirectly(one);
  expect({ environment, everything }).toEqual({
    environment: { NO_PROXY: hosts, no_proxy: hosts },
    everything: { NO_PROXY: "*" },
  });
});
