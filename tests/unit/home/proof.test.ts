import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Proof } from "../../../app/home/deliverables";
import { proof } from "../../../app/home/home-content";

test("the company's own proof shows logos with their names and a quote with its speaker, and nothing without them", () => {
  expect(renderToStaticMarkup(createElement(Proof, { logos: [], quote: undefined }))).toBe("");
  const logo = { src: "/logos/a.svg", alt: "A customer", width: 120, height: 40 };
  const quote = { text: "It works.", by: "Ada, CMO of A" };
  const html = renderToStaticMarkup(createElement(Proof, { ...proof, logos: [logo], quote }));
  for (const shown of ['alt="A customer"', "“It works.”", "Ada, CMO of A"]) expect(html).toContain(shown);
});
