import { expect, test } from "vitest";
import { advanceToNotMe } from "../../../../functions/subscription-api/sign-ups/transitions/advance";
import { trialHashes } from "../../../../functions/subscription-api/sign-ups/trial-hashes";
import { stopClock } from "../../../support/clock";
import { signUpsInProcess } from "./sign-ups";

/* One trial for each address, mailbox and card; one "This wasn't me". */

stopClock();

const OPEN = { status: "pending", used_cards: 1 };
const REPLACED = { status: "ended", end_reason: "replaced" };
const TRIAL = { status: "trialing" };
const BOB = { email: "bob@example.com", card: "the first's" };

test.each([
  { what: "the same address, where only addresses count", onePerPerson: false, outcome: REPLACED },
  { what: "the same address and card", card: "the first's", outcome: REPLACED },
  { what: "the same card", ...BOB, outcome: OPEN },
  { what: "the same card, where cards do not count", ...BOB, onePerPerson: false, outcome: TRIAL },
  { what: "a plus tag", email: "ada+x@example.com", outcome: REPLACED },
  { what: "a plus tag, where tags count", email: "ada+x@example.com", onePerPerson: false, outcome: TRIAL },
  { what: "Gmail's dots", first: "ada.l@gmail.com", email: "adal@googlemail.com", outcome: REPLACED },
  { what: "dots elsewhere", first: "ada.l@example.com", email: "adal@example.com", outcome: TRIAL },
  { what: "a plus sign and no name", first: "+a@example.com", email: "+b@example.com", outcome: TRIAL },
])(
  "a second sign-up with $what comes to $outcome",
  async ({ onePerPerson = true, first = "ada@example.com", email = first, card = "another", outcome }) => {
    const { onTrial } = signUpsInProcess({ onePerPerson });
    await onTrial({ email: first }, "the first's");
    expect(await onTrial({ email }, card)).toMatchObject(outcome);
  },
);

test.each([
  { onePerPerson: false, emails: ["ada@example.com", "ada@example.com", "ada@example.com"] },
  { onePerPerson: true, emails: ["ada+1@example.com", "ada+2@example.com", "ada@example.com"] },
])(
  "where each person has one trial ($onePerPerson), the first “This wasn’t me” frees the address, no later one, and no card",
  async ({ onePerPerson, emails: [one, another, third] }) => {
    const { onTrial, find, services, model } = signUpsInProcess({ onePerPerson });
    const isUsed = () => services.signUps.hasHadTrial(services.trialHashes.ofEmail("ada@example.com"));
    const first = await onTrial({ email: one }, "a card");
    await advanceToNotMe(first, services);
    expect(await isUsed(), "after the first").toBe(false);
    if (onePerPerson) expect(await onTrial({ email: another }, "a card")).toMatchObject(OPEN);
    const second = await onTrial({ email: another }, "another card");
    await advanceToNotMe(await find(first.id), services);
    expect(await isUsed(), "after the first sign-up's link is opened again").toBe(true);
    expect(await find(second.id)).toMatchObject(TRIAL);
    await advanceToNotMe(second, services);
    expect(await isUsed(), "after the second sign-up's link").toBe(true);
    expect(await onTrial({ email: third }, "a third card")).toMatchObject(REPLACED);
    expect(model.all("subscription").map(({ status }) => status)).toEqual(["canceled", "canceled"]);
  },
);

test("an address's claims are freed whatever the setting was when they were made", () => {
  const hashSecret = "a-secret-of-this-test";
  const [persons, addresses] = [true, false].map((onePerPerson) => trialHashes({ hashSecret, onePerPerson }));
  const claimed = persons?.ofEmail("ada+x@example.com");
  expect(addresses?.secondTrialOf("ada+x@example.com").released).toEqual(claimed);
  expect(addresses?.ofEmail("ada@example.com")).not.toEqual(claimed?.slice(1));
});
