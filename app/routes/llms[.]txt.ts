import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { publicSettings } from "../pipeline/settings/public-settings.server";
import { llmsTxt } from "../seo/files/llms";

export function loader({ context }: LoaderFunctionArgs) {
  return new Response(llmsTxt(publicSettings(context)), { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
