import { expect, test } from "vitest";
import { PAID_PLANS } from "../../../app/contract/plans";
import { rows } from "../../support/visitors/visitor";
import { blocks, ELSEWHERE, LEFT_OUT, TYPED } from "./shell-blocks";
import { ADA, CHECKED, DEPLOYED, OPERATOR_TOKEN, SECRET, startDeployment } from "./typed-blocks";

/* Shell blocks of the documents: a new deployment, its prices and its messages. */

const [FIRST] = PAID_PLANS;
const { backend, testBlocks } = await startDeployment();

testBlocks("first-deployment", {
  "First deployment": [
    { typed: "sk_test_0123456789abcdef\n" },
    { changes: [/^POST \/d1\/database$/] },
    { typed: `${SECRET}\n`, says: [/whsec_\w+/, /customer portal: \w+ was made/] },
    {
      typed: "0123456789abcdef".repeat(4),
      changes: ["site", ...Array(5).fill("subscription-api")].map((name) => RegExp(`^PUT .*citewell-${name}/secrets$`)),
    },
    { typed: `${OPERATOR_TOKEN}\n`, changes: DEPLOYED, says: [RegExp(`✓ prices: ${FIRST.title} \\$`), CHECKED] },
  ],
  "Plans and prices": [
    { changes: DEPLOYED, says: [RegExp(`✓ prices: ${FIRST.title} price_`)] },
    { values: () => ({ "package ID": crypto.randomUUID() }), says: [/"name": "TEAM",\s+"price_cents": 77700/] },
  ],
  "Failed messages": [
    {
      before: () =>
        rows(
          backend.api,
          `INSERT INTO outbox (key, sign_up_id, kind, state, next_attempt_at, created_at)
           SELECT 'the-message', id, 'account-created', 'dead', created_at, created_at FROM sign_ups WHERE email = ?`,
          ADA,
        ),
      values: () => ({ key: "the-message" }),
      says: [/the-message +dead/, /being sent again/],
    },
  ],
});

test("each shell block of the documents is typed by a test", () => {
  const sections = blocks.map(({ section }) => section);
  expect(new Set(sections)).toEqual(new Set([...Object.values(TYPED).flat(), ...Object.keys(ELSEWHERE)]));
  const text = blocks.map((block) => block.text).join("");
  expect(Object.keys(LEFT_OUT).filter((line) => !text.includes(line))).toEqual([]);
});
