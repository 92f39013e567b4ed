import type { Page } from "@playwright/test";
import { hydrated, PLAN, signup } from "../../browser/support/sign-up";
import { expect, test as withStack } from "../../browser/support/stack";
import { type RunningWorker, startSite } from "../../support/workers/workers";

/** The site with BOT_CHECK, as deployed. */
const test = withStack.extend<object, { asking: RunningWorker }>({
  asking: [
    async ({ stack: { api, stripe } }, provide) => {
      const site = await startSite({
        vars: {
          BOT_CHECK: "true",
          SUBSCRIPTION_API_URL: api.url,
          STRIPE_API_URL: stripe.url,
          STRIPE_JS_URL: `${stripe.url}/endive/stripe.js`,
        },
      });
      await provide(site);
      await site.dispose();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  baseURL: async ({ asking }, provide) => provide(asking.url),
});

/** Two bot signals: a filled honeypot, and an invented nonce in the first form. */
async function looksLikeABot(page: Page): Promise<void> {
  await page.locator("[name=website]").evaluate((field: HTMLInputElement) => {
    field.value = "https://evil.test";
  });
  await page.route(
    /\/subscription\//,
    (route) => {
      const postData = route
        .request()
        .postData()
        ?.replace(/form_nonce=[^&]+/, "form_nonce=forged");
      return route.continue(postData === undefined ? {} : { postData });
    },
    { times: 1 },
  );
}

const atTheCard = (page: Page) => expect(page.getByText("Step 2 of 2: card")).toBeVisible();
const confirm = (page: Page) => page.getByRole("button", { name: "Confirm and continue" });

test("a person confirms a suspicious form with one press of a button and types nothing again [H20]", async ({
  page,
}) => {
  const visitor = signup(page);
  await page.goto(PLAN);
  await hydrated(page);
  await expect(page.getByLabel("Leave this field empty")).toBeHidden();
  await visitor.fillForm();
  await looksLikeABot(page);
  await visitor.submit();
  await expect(page.getByRole("alert")).toContainText("Press the button at the end of the form to confirm");
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue("Passw0rd !");
  await expect(page.getByRole("button", { name: "Payment" })).toHaveCount(0);
  await confirm(page).click();
  await atTheCard(page);
});

test.describe("Turnstile", () => {
  for (const loads of [true, false]) {
    test(`${loads ? "the Turnstile widget is shown beside the button" : "the button works without the Turnstile widget if it does not load"} [H25]`, async ({
      page,
    }) => {
      const asked: string[] = [];
      const site = await startSite({
        vars: {
          BOT_CHECK: "true",
          TURNSTILE_SITE_KEY: "0x4AAAAAAA_site_key_of_the_tests",
          TURNSTILE_SECRET_KEY: "0x4AAAAAAA_secret_key_of_the_tests",
        },
        miniflare: {
          outboundService: async (request: Request) => {
            if (!request.url.startsWith("https://challenges.cloudflare.com/")) {
              return Response.json({ client_secret: "seti_1_secret_1" });
            }
            asked.push(new URLSearchParams(await request.text()).get("response") ?? "");
            return Response.json({ success: true });
          },
        },
      });
      await page.route("https://challenges.cloudflare.com/**", (route) =>
        loads ? route.fulfill({ contentType: "text/javascript", body: STAND_IN }) : route.abort(),
      );
      const visitor = signup(page);
      await page.goto(site.url + PLAN);
      await hydrated(page);
      await visitor.fillForm();
      await looksLikeABot(page);
      await visitor.submit();
      await expect(confirm(page)).toBeVisible();
      if (loads) await expect(page.getByText("Widget of 0x4AAAAAAA_site_key_of_the_tests")).toBeVisible();
      await confirm(page).click();
      await atTheCard(page);
      expect(asked).toEqual(loads ? ["a-token"] : []);
      await site.dispose();
    });
  }
});

/** Stands in for Turnstile's script, which adds a field to the form around its widget. */
const STAND_IN = `
  window.turnstile = {
    render(container, { sitekey }) {
      container.append("Widget of " + sitekey);
      const field = Object.assign(document.createElement("input"), { type: "hidden", name: "cf-turnstile-response" });
      field.value = "a-token";
      container.append(field);
    },
  };`;
