import { expect, test } from "./stack";

/** The path of each request that a page makes. */
function requestsOf(page: import("@playwright/test").Page): string[] {
  const paths: string[] = [];
  page.on("request", (request) => paths.push(new URL(request.url()).pathname));
  return paths;
}
