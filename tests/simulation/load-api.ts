import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import * as z from "zod";
import { migrated } from "./database";
import type { Fault } from "./faults";

/** What the API's code finds instead of the platform's: the world that runs at the moment. */
export type Globals = {
  now(): number;
  random(): number;
  uuid(): string;
  setTimeout(run: () => void, milliseconds?: number): () => void;
  fetch(url: string, init: RequestInit): Promise<Response>;
  log(line: string): void;
  /** The value that AsyncLocalStorage has: one step runs at a time, so that it is that of the step's invocation. */
  store: { get(): unknown; set(value: unknown): void };
};

export type Api = {
  fetch(request: Request, env: object, context: object): Promise<Response>;
  scheduled(controller: null, env: object): Promise<void>;
};
/** An isolate's own modules. */
export type LoadedApi = { image: Uint8Array; start(): () => Api };

const root = fileURLToPath(new URL("../..", import.meta.url));
const moduleExports = z.record(z.string(), z.unknown());
const createApi = z.custom<(hasher: object) => { publicApi: Api }>((value) => typeof value === "function");

/** scrypt takes 150 ms; the world is about everything else. */
const passwords = {
  hash: async (password: string) => `hash of ${password}`,
  verify: async (password: string, stored: string) => stored === `hash of ${password}`,
};

/** Bundles the API as it is, or with a planted fault. Packages are loaded once, the API's own modules by each `start`. */
export async function loadApi(globals: Globals, fault?: Fault): Promise<LoadedApi> {
  const planted = new Set<string>();
  const plant = (path: string, text: string) => {
    const change = fault?.changes.find(({ file }) => path.endsWith(`subscription-api/${file}`));
    if (change === undefined) return text;
    if (!text.includes(change.from)) throw new Error(`${fault?.name}: ${path} has no "${change.from}"`);
    planted.add(change.file);
    return text.replace(change.from, () => change.to);
  };
  const planter: Plugin = {
    name: "planted-faults",
    setup({ onLoad }) {
      onLoad({ filter: /functions\/subscription-api\/.*\.ts$/ }, async ({ path }) => ({
        contents: plant(relative(root, path), await readFile(path, "utf8")),
        loader: "ts",
      }));
    },
  };
  const options = { absWorkingDir: root, bundle: true, write: false, format: "cjs", platform: "neutral" } as const;
  const conditions = ["workerd", "worker", "browser"];
  const own = await build({
    ...options,
    entryPoints: ["functions/subscription-api/app.ts"],
    packages: "external",
    metafile: true,
    plugins: [planter],
  });
  const names = Object.values(own.metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  const packages = [...new Set(names)].filter((name) => !/^(node|cloudflare):/.test(name));
  const bundled = await build({
    ...options,
    stdin: { contents: packages.map((name, at) => `export * as p${at} from "${name}";`).join("\n"), resolveDir: root },
    conditions,
    mainFields: ["module", "main"],
    external: ["node:*"],
  });

  const stubs = stubsFor(globals);
  const run = (code: string, require: (name: string) => unknown) => {
    const module = { exports: {} };
    const given = { ...stubs, module, exports: module.exports, require };
    new Function(...Object.keys(given), code)(...Object.values(given));
    return moduleExports.parse({ ...module.exports });
  };
  const builtIn = (name: string) => {
    if (name === "cloudflare:workers") return { WorkerEntrypoint: class {} };
    if (name === "node:async_hooks") return { AsyncLocalStorage: storageOver(globals) };
    return process.getBuiltinModule(name);
  };
  const vendor = run(bundled.outputFiles[0]?.text ?? "", builtIn);
  const modules = new Map(
    packages.map((name, at) => [name, { __esModule: true, ...moduleExports.parse(vendor[`p${at}`]) }]),
  );
  // esbuild takes them for CommonJS modules of Node, whose default export is all of them.
  const code = own.outputFiles[0]?.text.replaceAll(/(__toESM\(require\("[^"]+"\)), 1\)/g, "$1)") ?? "";
  const image = migrated(plant);
  if (fault && planted.size < fault.changes.length) throw new Error(`${fault.name} was not planted everywhere`);
  return {
    image,
    start() {
      const create = createApi.parse(run(code, (name) => modules.get(name) ?? builtIn(name)).createApi);
      return () => create(passwords).publicApi;
    },
  };
}

function storageOver({ store }: Globals) {
  return class {
    run<T>(value: unknown, work: () => T): T {
      store.set(value);
      return work();
    }
    getStore(): unknown {
      return store.get();
    }
  };
}

/** Dates written out, which cost more than all else. */
const written = new Map<string, string>();

function stubsFor(globals: Globals) {
  const inWords = (kind: string, options: object | undefined, time: number, write: () => string) => {
    const key = `${kind} ${JSON.stringify(options)} ${Math.floor(time / 60_000)}`;
    const text = written.get(key) ?? write();
    if (written.size > 10_000) written.clear();
    written.set(key, text);
    return text;
  };
  class WorldDate extends Date {
    constructor(...given: [] | [number | string]) {
      super(given.length === 0 ? globals.now() : given[0]);
    }
    static override now() {
      return globals.now();
    }
    override toLocaleDateString(locale?: string, options?: Intl.DateTimeFormatOptions): string {
      return inWords("day", options, this.getTime(), () => super.toLocaleDateString(locale, options));
    }
    override toLocaleTimeString(locale?: string, options?: Intl.DateTimeFormatOptions): string {
      return inWords("time", options, this.getTime(), () => super.toLocaleTimeString(locale, options));
    }
  }
  const log = (line: string) => globals.log(line);
  return {
    Date: WorldDate,
    Math: Object.assign(Object.create(Math), { random: () => globals.random() }),
    setTimeout: (run: (...given: unknown[]) => void, milliseconds?: number, ...given: unknown[]) =>
      globals.setTimeout(() => run(...given), milliseconds),
    clearTimeout: (cancel: (() => void) | undefined) => cancel?.(),
    fetch: globals.fetch,
    console: { info: log, warn: log, error: log, log },
    AbortSignal: {
      timeout(milliseconds: number) {
        const controller = new AbortController();
        globals.setTimeout(() => controller.abort(new DOMException("Timed out", "TimeoutError")), milliseconds);
        return controller.signal;
      },
    },
    // The platform's own answers on other threads, in an order of theirs.
    crypto: {
      randomUUID: () => globals.uuid(),
      subtle: {
        importKey: async (
          _: string,
          key: Uint8Array,
          { name }: { name: string },
          extractable: boolean,
          usages: string[],
        ) => ({
          [Symbol.toStringTag]: "CryptoKey",
          type: "secret",
          key,
          algorithm: { name, hash: { name: "SHA-256" }, length: key.length * 8 },
          extractable,
          usages,
        }),
        sign: async (_: unknown, { key }: { key: Uint8Array }, data: Uint8Array) => hmac(key, data),
        verify: async (_: unknown, { key }: { key: Uint8Array }, signature: Uint8Array, data: Uint8Array) =>
          Buffer.from(hmac(key, data)).equals(signature),
      },
    },
  };
}

function hmac(key: Uint8Array, data: Uint8Array): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = createHmac("sha256", key).update(data).digest();
  const copy = new Uint8Array(byteLength);
  copy.set(new Uint8Array(buffer, byteOffset, byteLength));
  return copy.buffer;
}
