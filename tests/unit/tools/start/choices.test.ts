import { expect, test } from "vitest";
import { workerNames } from "../../../../tools/build";
import { choicesOf } from "../../../../tools/start/choices";
import { testModeOf } from "../../../../tools/start/test-mode";
import { outcomeOf } from "../outcome";
import { repositoryWith } from "./repository-with";

/* What npm start does with the environment and .dev.vars: the last line and the exit code of a wrong choice, and each right one's effect. */

const SECRET = "sk_test_0123456789abcdef";
const PUBLISHABLE = "pk_test_0123456789abcdef";
const KEYS = { STRIPE_SECRET_KEY: SECRET, STRIPE_PUBLISHABLE_KEY: PUBLISHABLE };

/** Makes the choices in a checkout with this .dev.vars, and with a Stripe that accepts every test mode. */
async function choose(environment: Record<string, string>, devVars = "") {
  const folder = await repositoryWith({ ".dev.vars": devVars });
  const asked: string[] = [];
  const accept = async (given: NodeJS.ProcessEnv) => {
    asked.push(String(given.STRIPE_SECRET_KEY));
    return testModeOf(given);
  };
  const made: { choices?: Awaited<ReturnType<typeof choicesOf>> } = {};
  const outcome = await outcomeOf(async () => {
    made.choices = await choicesOf(environment, { folder, accept });
    return true;
  });
  return { ...outcome, ...made, asked };
}

test.each<{ what: string; environment: Record<string, string>; devVars?: string; last: string }>([
  {
    what: "a HOST with a scheme",
    environment: { HOST: "http://acme.com" },
    last: "HOST is http://acme.com: set it to 0.0.0.0, or to this machine's name or IP address.",
  },
  {
    what: "a wrong PORT and a live key",
    environment: { PORT: "x", STRIPE_SECRET_KEY: "sk_live_0123456789abcdef" },
    last: "PORT is x: set it to a number from 1 to 65532, such as 9000. The three ports after it are used too.",
  },
  {
    what: "a live key in the environment",
    environment: { ...KEYS, STRIPE_SECRET_KEY: "sk_live_0123456789abcdef" },
    last: "STRIPE_SECRET_KEY is not a test key: npm start needs both of Stripe's test mode keys, and never a live key.",
  },
  {
    what: "a live key in .dev.vars",
    environment: {},
    devVars: `STRIPE_SECRET_KEY=rk_live_0123456789abcdef\nSTRIPE_PUBLISHABLE_KEY=${PUBLISHABLE}`,
    last: "STRIPE_SECRET_KEY is not a test key: npm start needs both of Stripe's test mode keys, and never a live key.",
  },
  {
    what: "one of the two keys",
    environment: { STRIPE_SECRET_KEY: SECRET },
    last: "STRIPE_PUBLISHABLE_KEY is missing: npm start needs both of Stripe's test mode keys, and never a live key.",
  },
])("npm start with $what ends with 1 and says so", async ({ environment, devVars, last }) => {
  const outcome = await choose(environment, devVars);
  expect({ exitCode: outcome.exitCode, last: outcome.last }).toEqual({ exitCode: 1, last });
});

test("without keys Stripe is not asked, and the Workers use the simulator", async () => {
  const { choices, asked } = await choose({});
  expect([asked, choices?.testMode]).toEqual([[], undefined]);
  expect(choices?.varsOf("site").STRIPE_JS_URL).toBe("http://localhost:8789/endive/stripe.js");
});

test("both test keys are shown to Stripe once, and reach the site and the API, not the simulator", async () => {
  const { choices, asked } = await choose(KEYS);
  expect(asked).toEqual([SECRET]);
  const keyOf = (name: (typeof workerNames)[number]) => choices?.varsOf(name).STRIPE_SECRET_KEY;
  expect(keyOf("subscription-api")).toBe(SECRET);
  expect(keyOf("site"), "the site needs no secret key").toBeUndefined();
  expect(choices?.varsOf("site")).toMatchObject({ STRIPE_PUBLISHABLE_KEY: PUBLISHABLE });
  expect(choices?.varsOf("stripe-simulator")).not.toMatchObject({ STRIPE_PUBLISHABLE_KEY: PUBLISHABLE });
});

test.each([
  { HOST: "", ip: undefined, name: undefined },
  { HOST: "localhost", ip: undefined, name: undefined },
  { HOST: "127.0.0.1", ip: undefined, name: undefined },
  { HOST: "::1", ip: undefined, name: undefined },
  { HOST: "192.168.0.7", ip: "0.0.0.0", name: "192.168.0.7" },
  { HOST: "fd00::7", ip: "::", name: "[fd00::7]" },
  { HOST: "my-laptop.local", ip: "0.0.0.0", name: "my-laptop.local" },
])("HOST=$HOST listens on $ip and is called $name by the site and the API", async ({ HOST, ip, name }) => {
  const { choices } = await choose({ HOST });
  expect(choices?.host).toEqual(ip && { ip, name });
  expect(workerNames.map((worker) => choices?.varsOf(worker).HOST)).toEqual([name, name, undefined]);
});
