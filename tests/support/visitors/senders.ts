let seen = 0;

/** Headers of a new visitor. */
export function someone(): Record<string, string> {
  seen += 1;
  return { "CF-Connecting-IP": `198.51.${100 + Math.floor(seen / 250)}.${1 + (seen % 250)}` };
}
