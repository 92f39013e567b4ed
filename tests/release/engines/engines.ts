import { execFile } from "node:child_process";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { chmod, mkdir, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createBrotliDecompress } from "node:zlib";
import { findOrInstallChromium } from "../../../tools/chromium";
import { root } from "../../../tools/wrangler/wrangler";

/* Chromes of earlier years, which the npm registry keeps for servers without a browser. */

/** The package with each version of Chrome. */
const PACKAGES = {
  80: { name: "chrome-aws-lambda", version: "2.1.1" },
  88: { name: "chrome-aws-lambda", version: "5.5.0" },
  92: { name: "chrome-aws-lambda", version: "10.1.0" },
  110: { name: "@sparticuz/chromium", version: "110.0.1" },
};

export type Engine = keyof typeof PACKAGES | "newest";

/** Puppeteer's page, as far as the tests use it. */
export interface Tab {
  setViewport(size: { width: number; height: number }): Promise<void>;
  goto(url: string, options: { waitUntil: "load" }): Promise<unknown>;
  evaluate<Result, Given extends unknown[]>(
    run: (...given: Given) => Result,
    ...given: Given
  ): Promise<Awaited<Result>>;
  type(selector: string, text: string): Promise<void>;
  frames(): Pick<Tab, "type" | "evaluate">[];
  screenshot(options: { path: string; fullPage: boolean }): Promise<unknown>;
}

interface Browser {
  newPage(): Promise<Tab>;
  close(): Promise<void>;
}

interface Puppeteer {
  launch(options: { executablePath: string; args: string[]; timeout: number }): Promise<Browser>;
}

const FOLDER = join(root, "build/engines");
const run = promisify(execFile);

/** Installs a package once into build/. Fails with npm's words, for example if the registry cannot be reached. */
async function install(name: string, version: string): Promise<string> {
  const prefix = join(FOLDER, `${name.replace("/", "+")}-${version}`);
  const installed = join(prefix, "node_modules", name);
  if (!existsSync(installed)) {
    await mkdir(prefix, { recursive: true });
    const npm = ["install", "--prefix", prefix, "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"];
    await run("npm", [...npm, `${name}@${version}`]).catch(({ stderr }) => {
      throw new Error(`${name}@${version} cannot be installed from the npm registry:\n${stderr}`);
    });
  }
  return installed;
}

/** Unpacks a Chrome once. @returns the path of its program */
async function unpack({ name, version }: { name: string; version: string }): Promise<string> {
  const packed = join(await install(name, version), "bin");
  const program = join(packed, "chromium");
  if (existsSync(program)) return program;
  const tar = join(packed, "swiftshader.tar");
  const brotli = (file: string) =>
    pipeline(createReadStream(`${file}.br`), createBrotliDecompress(), createWriteStream(`${file}.part`));
  await Promise.all([brotli(tar), brotli(program)]);
  await run("tar", ["-xf", `${tar}.part`, "-C", packed]);
  await rm(`${tar}.part`);
  await chmod(`${program}.part`, 0o755);
  await rename(`${program}.part`, program);
  return program;
}

/** Starts a browser. */
export async function launch(engine: Engine): Promise<Browser> {
  const puppeteer: Puppeteer = createRequire(import.meta.url)(await install("puppeteer-core", "10.4.0"));
  const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"];
  if (engine === "newest") return puppeteer.launch({ executablePath: findOrInstallChromium(), args, timeout: 60_000 });
  const executablePath = await unpack(PACKAGES[engine]);
  // These programs come without what more processes and a screen need.
  const alone = ["--single-process", "--no-zygote", "--use-gl=swiftshader"];
  return puppeteer.launch({ executablePath, args: [...args, ...alone], timeout: 60_000 });
}
