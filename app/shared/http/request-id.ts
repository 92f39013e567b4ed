/**
 * Generates Hono's `requestId`: Cloudflare's ID of the request, which its dashboard shows too, or a new one without Cloudflare.
 * The site ignores X-Request-Id; the API takes it from its caller.
 */
export function cloudflareRay({ req }: { req: { header(name: string): string | undefined } }): string {
  return /^[\w-]{1,64}$/.exec(req.header("CF-Ray") ?? "")?.[0] ?? crypto.randomUUID();
}
