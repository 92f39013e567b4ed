import { beforeEach, vi } from "vitest";

// What a module keeps is of the mutant before.
vi.resetModules();

/** Pages as Markdown are not looked at: only workerd has a rewriter of HTML. */
class HTMLRewriter {
  on = () => this;
  transform = (page: Response) => page;
}
Object.assign(globalThis, { HTMLRewriter });

/** By file and name: tests that need workerd itself or what `npm run build` makes, and some that take long. */
const NEED_WORKERD: RegExp[] = [
  /request-guard.*((DELETE|OPTIONS|TRACE) on any page|is kept in HTML and in Markdown|answered with a 5xx)/,
  /urls.*(TERMS|Privacy|3,000 segments)/,
  /session.*may keep a public page/,
  /status-url.*never answers/,
  /subscription-api.*50 concurrent/,
  /form-page-cache.*(same for a HEAD|page that fails)/,
  /country.*none of which the page has twice/,
  /outbox.*(six messages at a time|several senders at once)/,
  /operator.*as npm scripts/,
  /access.*by the entrypoint that/,
  /transport.*on the wire/,
  /api\/bodies.*that never ends/,
  /turnstile.*Turnstile never answers/,
  /one-trial.*(100 sign-ups at once|five used cards|erasing a person)/,
];

beforeEach(({ task, skip }) => {
  const name = `${task.file.name} ${task.name}`;
  if (NEED_WORKERD.some((pattern) => pattern.test(name))) skip();
});
