export function isGetOrHead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}
