import type { WorkerSettings } from "../wrangler/worker-settings";
import { API_FOLDER, wranglerCommand } from "../wrangler/wrangler";
import type { Deployment, Rule } from "./deployment";
import { isPlaceholder } from "./setting-rules";

/** Providers whose domains nobody else can send from. */
const FREE_MAIL =
  /@(?:(?:gmail|googlemail|aol|icloud|me|mail|msn|zoho|protonmail|qq|163)\.com|proton\.me|web\.de|mail\.ru|(?:outlook|hotmail|live|yahoo|ymail|gmx|yandex)\.(?:com?\.)?\w{2,3})$/i;

/** Routes, URLs and email addresses: the Workers and Stripe use each other's real addresses. */
export function addressRules(deployment: Deployment): Rule[] {
  return [...routeRules(deployment), ...urlRules(deployment)];
}

function routeRules({ stage, site, api, other }: Deployment): Rule[] {
  const others = stage === "staging" ? "production" : "staging";
  const { SITE_URL, SUBSCRIPTION_API_URL } = site.vars;
  // Stripe's webhooks use the API's route, even if the site has a service binding.
  const workers = [
    ["site", site, other.site, "SITE_URL", String(SITE_URL)],
    ["subscription API", api, other.api, "SUBSCRIPTION_API_URL", String(SUBSCRIPTION_API_URL)],
  ] as const;
  return workers.flatMap(([where, { name, routes, workers_dev }, its, setting, url]): Rule[] => {
    const host = hostOf(url);
    const isReached =
      (workers_dev && host.endsWith(".workers.dev")) || routes.some((one) => matches(one.pattern, host));
    const put = `put routes = [{ pattern = "${host}", custom_domain = true }] into [env.${stage}]`;
    const isTaken = (pattern: string) => its.routes.some((route) => route.pattern === pattern);
    return [
      ...routes.flatMap(({ pattern, custom_domain }): Rule[] => [
        [where, isPlaceholder(pattern), `a route is a placeholder (${pattern}): put your host into [env.${stage}]`],
        [where, isTaken(pattern), `its route ${pattern} is also the route of ${others}: change it in [env.${stage}]`],
        [
          where,
          !custom_domain && !pattern.endsWith("/*"),
          `its route ${pattern} is one path alone: put custom_domain = true beside it in [env.${stage}]`,
        ],
      ]),
      [where, !isReached && routes.length === 0, `has no routes, so that nobody reaches it: ${put}`],
      [where, !isReached && routes.length > 0, `no route is ${host}, the host of the site's ${setting}: ${put}`],
      [where, name === its.name, `its name is also the name of ${others}, which it would replace: change name`],
    ];
  });
}

/** A route's host may begin with `*`: https://developers.cloudflare.com/workers/configuration/routing/routes/ */
function matches(pattern: string, host: string): boolean {
  const wanted = pattern.replace(/^\w+:\/\//, "").split("/")[0] ?? "";
  return wanted === host || (wanted.startsWith("*") && host.endsWith(wanted.slice(1)));
}

function urlRules({ stage, site, api, other, mayEmail }: Deployment): Rule[] {
  const others = stage === "staging" ? "production" : "staging";
  const vars = `[env.${stage}.vars]`;
  const urls = [
    ["site", "SITE_URL", site, other.site],
    ["site", "SUBSCRIPTION_API_URL", site, other.site],
    ["subscription API", "PUBLIC_URL", api, other.api],
    ["subscription API", "CONSOLE_WEBHOOK_URL", api, other.api],
  ] as const;
  const { SITE_URL, CONSOLE_URL, SUBSCRIPTION_API_URL } = site.vars;
  const isLive = stage === "production";
  const isTestPortal = (worker: WorkerSettings) => /\/login\/test_/.test(String(worker.vars.CUSTOMER_PORTAL_URL));
  const portal = `npm run stripe:setup -- --${stage} prints ${isLive ? "the live" : "the test"} one`;
  return [
    ...urls.flatMap(([where, name, worker, its]): Rule[] => {
      const value = String(worker.vars[name] ?? "");
      const isOrigin = !URL.canParse(value) || new URL(value).href === `${new URL(value).origin}/`;
      const isTaken = value !== "" && hostOf(value) === hostOf(String(its.vars[name]));
      return [
        [
          where,
          name !== "CONSOLE_WEBHOOK_URL" && !isOrigin,
          `${name} has more than a host (${value}): put ${name} = "${originOf(value)}" into ${vars}`,
        ],
        [
          where,
          isTaken && !isPlaceholder(value),
          `${name} is also an address of ${others} (${value}): put ${stage}'s into ${vars}`,
        ],
      ];
    }),
    [
      "subscription API",
      hostOf(String(SITE_URL)) === hostOf(String(SUBSCRIPTION_API_URL)),
      `has the site's host ${hostOf(String(SITE_URL))}: give it a host of its own in PUBLIC_URL, SUBSCRIPTION_API_URL and routes, such as api.${hostOf(String(SITE_URL)).replace(/^www\./, "")}`,
    ],
    [
      "site",
      hostOf(String(CONSOLE_URL)) === hostOf(String(SITE_URL)),
      `CONSOLE_URL is the site itself: put the console's URL into ${vars} of both files`,
    ],
    ...(
      [
        ["site", site],
        ["subscription API", api],
      ] as const
    ).map(
      ([where, worker]): Rule => [
        where,
        isTestPortal(worker) === isLive && String(worker.vars.CUSTOMER_PORTAL_URL ?? "") !== "",
        `CUSTOMER_PORTAL_URL is the portal of ${isLive ? "test mode" : "live mode"}: ${portal}`,
      ],
    ),
    [
      "subscription API",
      FREE_MAIL.test(String(api.vars.MAIL_FROM)),
      `MAIL_FROM is at a provider of free mailboxes (${api.vars.MAIL_FROM}), which lets nobody send for it: put MAIL_FROM = "hello@${hostOf(String(SITE_URL)).replace(/^www\./, "")}" into ${vars}`,
    ],
    [
      "subscription API",
      mayEmail === false,
      `Cloudflare sends no emails from ${mailDomainOf(api)}, the domain of MAIL_FROM: ${wranglerCommand(`email sending enable ${mailDomainOf(api)}`, stage, API_FOLDER)}`,
    ],
  ];
}

/** Undefined if another provider sends the emails. */
export function mailDomainOf({ vars, send_email }: WorkerSettings): string | undefined {
  const isBound = send_email.some(({ name }) => name === "EMAIL");
  return isBound && !vars.MAIL_API_URL ? String(vars.MAIL_FROM).split("@").at(-1) : undefined;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
