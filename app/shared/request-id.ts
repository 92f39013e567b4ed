/**
 * For Hono's `requestId`: Cloudflare's own ID of the request, which its dashboard shows too; a new one without Cloudflare. A
 * visitor's X-Request-Id is not trusted.
 */
export function cloudflareRay({ req }: { req: { header(name: string): string | undefined } }): string {
  return /^[\w-]{1,64}$/.exec(req.header("CF-Ray") ?? "")?.[0] ?? crypto.randomUUID();
}
