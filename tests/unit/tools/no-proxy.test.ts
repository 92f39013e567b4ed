import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build } from "esbuild";
import { EnvHttpProxyAgent, fetch } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { scripts } from "../../../package.json";
import { askThisMachineDirectly } from "../../../tools/no-proxy";
import { root } from "../../../tools/wrangler/wrangler";

/** A proxy where nothing listens, so that whatever is asked through it fails. */
const PROXY = "http://127.0.0.1:1";

test.each(["localhost", "127.0.0.1", "[::1]"])("http://%s is not asked through a proxy", async (host) => {
  const server = createServer((_request, response) => response.end("answered")).listen(0);
  await once(server, "listening");
  const environment: NodeJS.ProcessEnv = { NO_PROXY: "acme.com" };
  askThisMachineDirectly(environment);
  const dispatcher = new EnvHttpProxyAgent({ httpProxy: PROXY, httpsProxy: PROXY, noProxy: `${environment.NO_PROXY}` });
  onTestFinished(async () => {
    await dispatcher.close();
    server.close();
  });
  const url = `http://${host}:${(server.address() as AddressInfo).port}/`;
  expect(await (await fetch(url, { dispatcher })).text()).toBe("answered");
});

test.each([
  { known: {}, hosts: "localhost,127.0.0.1,[::1],::1" },
  { known: { NO_PROXY: "acme.com, localhost" }, hosts: "acme.com,localhost,127.0.0.1,[::1],::1" },
  { known: { no_proxy: ".acme.com", NO_PROXY: "not-read" }, hosts: ".acme.com,localhost,127.0.0.1,[::1],::1" },
])("$known becomes $hosts in both spellings", ({ known, hosts }) => {
  const environment: NodeJS.ProcessEnv = known;
  askThisMachineDirectly(environment);
  expect(environment).toEqual({ NO_PROXY: hosts, no_proxy: hosts });
});

test("NO_PROXY=* stays", () => {
  const environment = { NO_PROXY: "*" };
  askThisMachineDirectly(environment);
  expect(environment).toEqual({ NO_PROXY: "*" });
});

const ASK_NOTHING = ["tools/documents.ts", "tests/simulation/simulate.ts"];
const entries = Object.values(scripts).flatMap((script) => /--import tsx (\S+)/.exec(script)?.[1] ?? []);

test.each([...new Set(entries)].filter((entry) => !ASK_NOTHING.includes(entry)))(
  "%s asks this machine directly",
  async (entry) => {
    const { metafile } = await build({
      entryPoints: [join(root, entry)],
      absWorkingDir: root,
      bundle: true,
      write: false,
      metafile: true,
      packages: "external",
      format: "esm",
      platform: "node",
      logLevel: "silent",
    });
    expect(Object.keys(metafile.inputs)).toContain("tools/no-proxy.ts");
  },
);
