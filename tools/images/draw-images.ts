import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "@playwright/test";
import { company } from "../../app/company";
import { SHARE_IMAGE_SIZE, type ShareImage, shareImages } from "../../app/seo/share-images";
import { findChromium } from "../chromium";
import { readOptionsOrExit } from "../command-line";

// After changing favicon.svg or a headline, run `npm run images` and commit the images.

readOptionsOrExit("images");

const folder = fileURLToPath(new URL("../../public", import.meta.url));
const font = createRequire(import.meta.url).resolve(
  "@fontsource/bricolage-grotesque/files/bricolage-grotesque-latin-700-normal.woff2",
);

const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage();
  const mark = await readFile(join(folder, "favicon.svg"), "utf8");

  for (const size of [192, 512]) await draw(page, `icon-${size}.png`, icon(mark, size, 0), size);
  // The middle 80 % is never cut off: https://www.w3.org/TR/appmanifest/#icon-masks
  await draw(page, "icon-maskable-512.png", icon(mark, 512, 0.14), 512);
  await draw(page, "apple-touch-icon.png", icon(mark, 180, 0.08), 180);
  await writeFile(join(folder, "favicon.ico"), ico(await shoot(page, icon(mark, 32, 0), 32), 32));
  const { width, height } = SHARE_IMAGE_SIZE;
  for (const image of Object.values(shareImages)) {
    await draw(page, image.file, await shareImage(mark, image), width, height);
  }
} finally {
  await browser.close();
}

async function draw(page: Page, name: string, html: string, width: number, height = width): Promise<void> {
  await writeFile(join(folder, name), await shoot(page, html, width, height));
}

async function shoot(page: Page, html: string, width: number, height = width): Promise<Buffer> {
  await page.setViewportSize({ width, height });
  await page.setContent(`<!doctype html><style>*{margin:0;box-sizing:border-box}</style>${html}`);
  await page.evaluate(() => document.fonts.ready);
  return page.screenshot({ omitBackground: true });
}

function icon(mark: string, size: number, margin: number): string {
  const inner = size * (1 - 2 * margin);
  const background = margin > 0 ? "background:#2b3bdb;" : "";
  return `<div style="${background}display:grid;place-items:center;width:${size}px;height:${size}px">
    <div style="width:${inner}px;height:${inner}px">${mark.replace("<svg", '<svg width="100%" height="100%"')}</div></div>`;
}

/** An ICO file with one PNG: https://en.wikipedia.org/wiki/ICO_(file_format) */
function ico(png: Buffer, size: number): Buffer {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2); // an icon
  header.writeUInt16LE(1, 4); // of one image
  header.writeUInt8(size, 6);
  header.writeUInt8(size, 7);
  header.writeUInt16LE(1, 10); // color planes
  header.writeUInt16LE(32, 12); // bits for each pixel
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}

async function shareImage(mark: string, { headline, highlight }: ShareImage): Promise<string> {
  const face = (await readFile(font)).toString("base64");
  return `<style>
    @font-face { font-family: Headline; font-weight: 700; src: url(data:font/woff2;base64,${face}) }
    main { position: relative; width: 1200px; height: 630px; padding: 84px 96px; background: #0f1233; color: #f4f5ff;
      font: 700 92px/1.04 Headline; letter-spacing: -0.03em }
    main::before, main::after { content: ""; position: absolute; top: 40px; bottom: 40px; width: 56px;
      border: 6px solid #5866f0 }
    main::before { left: 40px; border-right: 0 } main::after { right: 40px; border-left: 0 }
    h1 { font-size: 1em; text-wrap: balance }
    .brand { display: flex; align-items: center; gap: 18px; margin-bottom: 62px; font-size: 44px; letter-spacing: 0 }
    .brand svg { width: 60px; height: 60px }
    mark { padding: 0 14px; border-radius: 14px; background: #ffd83a; color: #10132b }
    small { position: absolute; bottom: 84px; font-size: 34px; letter-spacing: 0; color: #b9bfe6 }
  </style>
  <main><p class="brand">${mark} ${company.name}</p><h1>${headline}${highlight && `<mark>${highlight}</mark>`}</h1>
  <small>${company.tagline}</small></main>`;
}
