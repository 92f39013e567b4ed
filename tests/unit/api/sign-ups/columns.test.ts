import { expect, test } from "vitest";
import { formFields } from "../../../../app/contract/fields/form-fields";
import { formColumnsOf } from "../../../../functions/subscription-api/sign-up";
import { databaseInMemory } from "../../../support/api-in-process/database";
import { validRequest } from "../../../support/person";

const names = Object.keys(formFields).filter((name) => name !== "password");

test.each(names)("the form's field %s has a column of the table sign_ups, which keeps its value", async (name) => {
  const { rows, signUp } = databaseInMemory();
  const value = `only ${name}`;
  await signUp({ [name]: value });
  const columns = Object.entries(rows("SELECT * FROM sign_ups")[0] ?? {}).filter(([, kept]) => kept === value);
  expect(columns, `the columns with the value of ${name}`).toHaveLength(1);
});

test("the password has no column", () => {
  expect(JSON.stringify(formColumnsOf(validRequest))).not.toContain(validRequest.password);
});
