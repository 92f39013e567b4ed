import { afterEach, expect, test, vi } from "vitest";
import { erasePerson } from "../../../../functions/subscription-api/sign-ups/personal-data";
import { signUpsInProcess } from "../../../support/api-in-process/sign-ups";

afterEach(() => vi.restoreAllMocks());

test("a person whose setup intent Stripe does not know is erased", async () => {
  const { services, pending, rows } = signUpsInProcess();
  const { id, email } = await pending();
  rows("UPDATE sign_ups SET stripe_setup_intent_id = 'seti_unknown'");
  expect(await erasePerson(email, services)).toEqual({ erased: 1 });
  expect(rows(`SELECT email FROM sign_ups WHERE id = '${id}'`)).not.toContainEqual({ email });
});
