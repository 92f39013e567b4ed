/** Rate limit key of an IP address: IPv4 as it is, IPv6 by its /64, which one customer usually owns. */
export function rateLimitKeyOf(ip: string | null): string {
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

/** The network of a rate limit key: the /24 of an IPv4 address, or the /48, the largest block that a customer usually gets. */
export function networkKeyOf(rateLimitKey: string): string {
  if (rateLimitKey.endsWith("::/64")) return `${rateLimitKey.split(":", 3).join(":")}::/48`;
  return rateLimitKey.replace(/^(\d+\.\d+\.\d+)\.\d+$/, "$1.0/24");
}
