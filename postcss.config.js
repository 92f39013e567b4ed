import tailwindcss from "@tailwindcss/postcss";
import { Features, transform } from "lightningcss";
import logical from "postcss-logical";
import { LIGHTNING_TARGETS } from "./tools/browser-bundle/oldest-browsers.mjs";

/**
 * Puts the contents of cascade layers in the order of the layers, and what is in no layer after them. The oldest browsers
 * ignore all that is in `@layer`. Afterward a more specific selector wins over a later layer: keep selectors of elements and
 * components as simple as the utilities.
 */
const flattenLayers = {
  postcssPlugin: "flatten-layers",
  OnceExit(sheet) {
    const layers = new Map();
    sheet.walkAtRules("layer", (rule) => {
      const names = rule.params.split(/\s*,\s*/);
      for (const name of names) if (!layers.has(name)) layers.set(name, []);
      if (rule.nodes) layers.get(names[0]).push(...rule.nodes);
      rule.remove();
    });
    sheet.prepend([...layers.values()].flat());
  },
};

/**
 * Sets the first value of Tailwind's variables on every element: in all browsers, because the oldest do not know `@property`, and
 * Tailwind's question whether a browser knows it does not reach them.
 */
const setVariables = {
  postcssPlugin: "set-variables",
  OnceExit(sheet) {
    sheet.walkAtRules("property", (rule) => void (rule.params.startsWith("--tw-") && rule.remove()));
    sheet.walkAtRules("layer", (layer) => {
      if (layer.params === "properties") layer.walkAtRules("supports", (rule) => void rule.replaceWith(rule.nodes));
    });
  },
};

/** Rewrites what the oldest browsers do not know, such as nested rules and `inset`, as far as it can be rewritten. */
const lowerSyntax = {
  postcssPlugin: "lower-syntax",
  OnceExit(sheet, { parse }) {
    const filename = sheet.source?.input.file ?? "";
    const { code } = transform({
      filename,
      code: Buffer.from(sheet.toString()),
      targets: LIGHTNING_TARGETS,
      exclude: Features.LightDark,
    });
    sheet.removeAll();
    // Without `all`, `not` is a syntax of Chrome 104.
    const css = code.toString().replaceAll("@media not (", "@media not all and (");
    sheet.append(parse(css, { from: filename }).nodes);
  },
};

// Lightning CSS keeps `padding-inline` if its value has a variable, so logical properties are rewritten before: all texts are English.
export default { plugins: [tailwindcss({ optimize: false }), setVariables, flattenLayers, logical(), lowerSyntax] };
