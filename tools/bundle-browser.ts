import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type OutputChunk, type Plugin, rollup } from "rollup";
import { minify } from "terser";
import * as z from "zod";
import { keepRelease } from "./releases/kept-releases";

// Joins the many small files of the Remix compiler into vendor, shared, layout, sign-up and parts loaded later.

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "public/build");
/** Imported by the Worker as Remix's server build (wrangler.toml, [alias]). */
const serverBuild = join(root, "build/server.js");

const HYDRATED = ["root", "routes/subscription"];

const files = z.object({ module: z.string(), imports: z.optional(z.array(z.string())) });
const manifestSchema = z.looseObject({
  entry: files,
  routes: z.record(z.string(), z.looseObject(files.shape)),
});

type Manifest = z.infer<typeof manifestSchema>;

async function bundle(): Promise<void> {
  const compiled = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".js"));
  const manifest = await readManifest(compiled);
  const lazy = compiled.filter((name) => name.startsWith("_shared/") && !basename(name).startsWith("chunk-"));
  const inputs = {
    entry: pathOf(manifest.entry.module),
    ...Object.fromEntries(HYDRATED.map((id) => [basename(id), pathOf(manifest.routes[id]?.module ?? "")])),
    ...Object.fromEntries(lazy.map((name) => [withoutHash(name), join(folder, name)])),
  };
  const vendor = new Set(manifest.entry.imports?.map(pathOf));
  const shared = new Set(HYDRATED.flatMap((id) => manifest.routes[id]?.imports ?? []).map(pathOf));

  const build = await rollup({
    input: inputs,
    preserveEntrySignatures: "exports-only",
    plugins: [publicPaths, lazyByName, minified],
    onwarn(warning) {
      throw new Error(warning.message);
    },
  });
  const { output } = await build.generate({
    entryFileNames: "[name]-[hash].js",
    // The compiler's own names of chunks depend on more than their content.
    chunkFileNames: ({ name }) => (name.startsWith("chunk-") ? "chunk-[hash].js" : "[name]-[hash].js"),
    hashCharacters: "base36",
    manualChunks: (id) => (vendor.has(id) ? "vendor" : shared.has(id) ? "shared" : undefined),
  });
  const chunks = output.filter((file) => file.type === "chunk");

  await Promise.all(compiled.map((name) => rm(join(folder, name))));
  for (const empty of ["_shared", "routes"]) await rm(join(folder, empty), { recursive: true });
  await Promise.all(chunks.map(({ fileName, code }) => writeFile(join(folder, fileName), code)));
  const version = await writeManifest(manifest, chunks, lazy.map(withoutHash));
  await keepRelease(folder, version, new Date());
}

async function readManifest(compiled: string[]): Promise<Manifest> {
  const name = compiled.find((file) => /^manifest-\w+\.js$/.test(file)) ?? "";
  const [, json = ""] = /^window\.__remixManifest=(.*);\s*$/s.exec(await readFile(join(folder, name), "utf8")) ?? [];
  return manifestSchema.parse(JSON.parse(json));
}

async function writeManifest(manifest: Manifest, chunks: OutputChunk[], lazy: string[]): Promise<string> {
  const filesOf = (name: string) => {
    const chunk = chunks.find((built) => built.name === name);
    if (!chunk) throw new Error(`There is no file for ${name}`);
    return { module: urlOf(chunk.fileName), imports: chunk.imports.map(urlOf) };
  };
  const routes = Object.entries(manifest.routes).map(([id, route]): [string, object] => {
    return [id, { ...route, ...(HYDRATED.includes(id) ? filesOf(basename(id)) : { module: "", imports: [] }) }];
  });
  const built = {
    ...manifest,
    entry: filesOf("entry"),
    routes: Object.fromEntries(routes),
    lazy: Object.fromEntries(lazy.map((name) => [name, filesOf(name).module])),
  };
  const version = createHash("sha256")
    .update(JSON.stringify({ ...built, version: "", url: "" }))
    .digest("hex")
    .slice(0, 8);
  const named = { ...built, version, url: urlOf(`manifest-${version}.js`) };
  const ofBrowser = { ...named, routes: Object.fromEntries(routes.filter(([id]) => HYDRATED.includes(id))) };
  await writeFile(join(folder, `manifest-${version}.js`), `window.__remixManifest=${JSON.stringify(ofBrowser)};\n`);
  await writeFile(serverBuild, `export * from "./index.js";\nexport const assets = ${JSON.stringify(named)};\n`);
  return version;
}

const publicPaths: Plugin = {
  name: "public-paths",
  resolveId: (source) => (source.startsWith("/build/") ? pathOf(source) : undefined),
};

const lazyByName: Plugin = {
  name: "lazy-by-name",
  transform: (code) => ({
    code: code.replace(/\bimport\("(\/build\/_shared\/[^"]+)"\)/g, (_, url: string) => {
      return `import(__remixManifest.lazy["${withoutHash(url)}"])`;
    }),
    map: null,
  }),
};

const minified: Plugin = {
  name: "minified",
  async renderChunk(code, { name }) {
    const compress = {
      passes: 3,
      unsafe_arrows: true,
      unsafe_methods: true,
      // Zod's getters have effects; React's and Remix's have none.
      pure_getters: name === "vendor",
      // Brotli makes the site's own code smaller with functions first, but not the packages.
      hoist_funs: name !== "vendor",
    };
    return { code: (await minify(code, { module: true, ecma: 2020, compress })).code ?? code, map: null };
  },
};

function urlOf(fileName: string): string {
  return `/build/${fileName}`;
}

function pathOf(url: string): string {
  return join(folder, url.slice("/build/".length));
}

function withoutHash(path: string): string {
  return basename(path).replace(/-[A-Z0-9]{8}\.js$/, "");
}

await bundle();
