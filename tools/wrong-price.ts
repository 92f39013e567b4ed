import { isPrice, MAX_CENTS } from "../app/contract/money";

/** What is wrong with the first plan whose price cannot be charged; undefined if none is. */
export function wrongPrice(plans: readonly { title: string; priceCents: number }[]): string | undefined {
  const wrong = plans.find(({ priceCents }) => !isPrice(priceCents));
  return (
    wrong &&
    `${wrong.title} in app/contract/plans.ts has the price ${wrong.priceCents}. It must be whole cents from 1 to ${MAX_CENTS}: 1_999 is $19.99.`
  );
}
