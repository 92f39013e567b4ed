import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { llmsTxt } from "../discovery/llms";
import { publicSettings } from "../edge/settings/public-settings.server";

export function loader({ context }: LoaderFunctionArgs) {
  return new Response(llmsTxt(publicSettings(context)), { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
