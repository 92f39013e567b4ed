/** The key to count by: an IPv4 address, or the /64 of an IPv6 address, because one customer usually has all of it. */
export function senderOf(ip: string | null): string {
  if (ip === null) return "unknown";
  if (!URL.canParse(`http://[${ip}]`)) return ip.slice(0, 45);
  const canonical = new URL(`http://[${ip}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(canonical) ?? [];
  if (high && low) return [...bytesOf(high), ...bytesOf(low)].join(".");
  const [before = [], after = []] = canonical.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return `${[...before, ...zeros, ...after].slice(0, 4).join(":")}::/64`;
}

function bytesOf(group: string): [number, number] {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 255];
}
