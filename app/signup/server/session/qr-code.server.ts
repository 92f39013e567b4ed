import { encode } from "uqr";

export const QR_CODE_PATH = "/resume-code";

/** Longer texts make QR codes too dense for an old phone's camera. */
export const MAX_QR_CODE_LENGTH = 300;

/** An SVG with one path: a line for each run of dots in a row. The border is the quiet zone of ISO/IEC 18004. */
export function qrCode(text: string): string {
  const { data, size } = encode(text, { ecc: "L", border: 4 });
  const lines = data.flatMap((row, y) => {
    const dots = row.map((isDark) => (isDark ? "#" : " ")).join("");
    return [...dots.matchAll(/#+/g)].map(({ 0: line, index }) => `M${index} ${y}h${line.length}`);
  });
  const box = `viewBox="0 -.5 ${size} ${size}" shape-rendering="crispEdges"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box}><path stroke="#000" d="${lines.join("")}"/></svg>`;
}
