import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ParseResult, parse } from "@babel/parser";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { root } from "../../../tools/wrangler/wrangler";
import { filesIn } from "../../support/files-in";

/*
 * Browsers' translation replaces each text node with an element, which React does not know: it throws when it removes such a text
 * node or inserts something before it, and a changed text stays as it was (https://github.com/facebook/react/issues/11538). An
 * element whose only child is a text is safe, because React replaces its whole content. So in everything that hydrates, a text
 * stands beside other children only if none of them can come, go or change.
 */

const HYDRATED = ["app/signup", "app/ui", "app/root.tsx", "app/routes/subscription.tsx"];

const node = z.looseObject({ type: z.string() });
type Node = z.output<typeof node>;
const element = z.looseObject({ type: z.enum(["JSXElement", "JSXFragment"]), children: z.array(node) });
const container = z.looseObject({ type: z.literal("JSXExpressionContainer"), expression: node });

function nodesIn(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  if (typeof value !== "object" || value === null) return [];
  const own = node.safeParse(value);
  return [...(own.success ? [own.data] : []), ...Object.values(value).flatMap(nodesIn)];
}

/** True for line breaks and indentation between children, which JSX drops. */
const isLayout = ({ type, value }: Node) =>
  type === "JSXText" && /^\s*$/.test(String(value)) && String(value).includes("\n");

const isEmptyExpression = (child: Node) => container.safeParse(child).data?.expression.type === "JSXEmptyExpression";

/** What a child can be: an element or a constant text that stays, an element that comes and goes, or anything. */
function kindOf(child: Node): "element" | "changing element" | "text" | "anything" {
  if (child.type === "JSXText") return "text";
  if (child.type === "JSXElement" || child.type === "JSXFragment") return "element";
  const expression = container.parse(child).expression;
  switch (expression.type) {
    case "StringLiteral":
      return "text";
    case "Identifier":
      return /^[A-Z][A-Z_]+$/.test(String(expression.name)) ? "text" : "anything";
    case "MemberExpression":
      return z.looseObject({ name: z.literal("company") }).safeParse(expression.object).success ? "text" : "anything";
    case "LogicalExpression":
      return isElementOrNothing(expression.right) ? "changing element" : "anything";
    case "ConditionalExpression":
      return [expression.consequent, expression.alternate].every(isElementOrNothing) ? "changing element" : "anything";
    case "CallExpression":
      return isMapToElements(expression) ? "changing element" : "anything";
    default:
      return "anything";
  }
}

function isElementOrNothing(value: unknown): boolean {
  const { type, ...rest } = node.parse(value);
  if (type === "LogicalExpression") return isElementOrNothing(rest.right);
  if (type === "ConditionalExpression") return [rest.consequent, rest.alternate].every(isElementOrNothing);
  return ["JSXElement", "JSXFragment", "NullLiteral"].includes(type);
}

/** `list.map(…)`, unless its callback visibly returns something else than an element. */
function isMapToElements({ callee, arguments: given }: Node): boolean {
  const called = z.looseObject({ property: z.looseObject({ name: z.literal("map") }) }).safeParse(callee).success;
  const body = z.tuple([z.looseObject({ body: node })]).safeParse(given).data?.[0].body;
  return called && (body === undefined || body.type === "BlockStatement" || isElementOrNothing(body));
}

/** A sentence for each element in which a translation could break React. */
function faultsIn(code: string): string[] {
  const file: ParseResult = parse(code, { sourceType: "module", plugins: ["typescript", "jsx"] });
  return nodesIn(file.program).flatMap((found) => {
    const { data } = element.safeParse(found);
    if (!data) return [];
    const kinds = data.children.filter((child) => !isLayout(child) && !isEmptyExpression(child)).map(kindOf);
    const { line } = z.looseObject({ loc: z.looseObject({ start: z.looseObject({ line: z.number() }) }) }).parse(found)
      .loc.start;
    if (data.type === "JSXFragment" && kinds.some((kind) => kind === "text" || kind === "anything"))
      return [`line ${line}: a fragment has a text or an expression that needs an element of its own`];
    if (kinds.length < 2) return [];
    if (kinds.includes("anything"))
      return [
        `line ${line}: an expression that may be a text stands beside other children; give it an element of its own`,
      ];
    if (kinds.includes("text") && kinds.includes("changing element"))
      return [`line ${line}: a text stands beside an element that comes and goes; give it an element of its own`];
    return [];
  });
}

const branch = z.looseObject({
  openingElement: z.looseObject({
    name: z.looseObject({ name: z.string() }),
    attributes: z.array(z.looseObject({ name: z.optional(z.unknown()) })),
  }),
  children: z.array(node),
});

/** A sentence for each pair of alternatives that React turns into each other, child by child: one has texts beside children. */
function mergedBranchesIn(code: string): string[] {
  const file: ParseResult = parse(code, { sourceType: "module", plugins: ["typescript", "jsx"] });
  return nodesIn(file.program).flatMap(({ type, consequent, alternate }) => {
    const both = z.tuple([branch, branch]).safeParse([consequent, alternate]).data;
    if (type !== "ConditionalExpression" || !both) return [];
    const [one, other] = both.map(({ openingElement: { name, attributes } }) => [
      name.name,
      attributes.some(({ name }) => z.looseObject({ name: z.literal("key") }).safeParse(name).success),
    ]);
    const hasMixedText = both.some(({ children }) => {
      const shown = children.filter((child) => !isLayout(child) && !isEmptyExpression(child));
      return shown.length > 1 && shown.some((child) => kindOf(child) !== "element");
    });
    if (one?.[0] !== other?.[0] || one?.[1] || !hasMixedText) return [];
    return [`two <${one?.[0]}> take turns, with texts beside other children; give each a key`];
  });
}

function componentsIn(path: string): string[] {
  if (path.endsWith(".tsx")) return [path];
  return filesIn(path).filter((name) => name.endsWith(".tsx"));
}

const COMPONENTS = HYDRATED.flatMap(componentsIn);

test("there are components to check", () => {
  expect(COMPONENTS.length).toBeGreaterThan(25);
});

test.each(COMPONENTS)("%s survives a translation", (path) => {
  const code = readFileSync(join(root, path), "utf8");
  expect([...faultsIn(code), ...mergedBranchesIn(code)]).toEqual([]);
});

describe("the check", () => {
  test.each([
    ["a spinner before the button's text", "<button>{busy && <Spinner />}{children}</button>", /may be a text/],
    ["a word that changes before an element", "<b>{shown ? 'Hide' : 'Show'}<i>password</i></b>", /may be a text/],
    ["a name within a sentence", "<p>Signing up {name}.</p>", /may be a text/],
    ["a space beside an element that goes", '<p>{a && <a />} {" "}<b /></p>', /comes and goes/],
    ["a text in a fragment", "<>Then {price}</>", /fragment/],
  ])("finds %s", (_, code, fault) => {
    expect(faultsIn(code).join()).toMatch(fault);
  });

  test("finds two sentences with links that take turns without keys", () => {
    const sentences = (key: string) => `<p>{a ? <b ${key}>Or <i>go</i>.</b> : <b><i>Go</i> or stay.</b>}</p>`;
    expect(mergedBranchesIn(sentences("")).join()).toMatch(/two <b> take turns/);
    expect(mergedBranchesIn(sentences('key="1"'))).toEqual([]);
  });

  test.each([
    ["a sentence with links", '<p>See the <a href="/terms">Terms</a>, and the rest.</p>'],
    ["a text alone in its element", "<p>{text}</p>"],
    [
      "elements that come and go beside elements",
      "<div>{a && <a />}{list.map((one) => <b>{one}</b>)}<i>text</i></div>",
    ],
  ])("takes %s", (_, code) => {
    expect(faultsIn(code)).toEqual([]);
  });
});
