/** Cloudflare's ID of the request, as on its dashboard. The site ignores X-Request-Id; the API takes it from its caller. */
export function cloudflareRay({ req }: { req: { header(name: string): string | undefined } }): string {
  return /^[\w-]{1,64}$/.exec(req.header("CF-Ray") ?? "")?.[0] ?? crypto.randomUUID();
}
