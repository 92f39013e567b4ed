import type { Appearance } from "@stripe/stripe-js";

/*
 * Stripe's Appearance API, for the classes and variables of the card fields: https://docs.stripe.com/elements/appearance-api. The
 * frame's own stylesheet (frame.html) uses the variables; rules come after it.
 */

type Variables = Record<string, string>;

const EVERY_THEME: Variables = {
  fontFamily: "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  fontSizeBase: "16px",
  fontSizeSm: "0.93rem",
  fontWeightNormal: "400",
  spacingUnit: "4px",
  borderRadius: "5px",
  focusOutline: "0",
};

const THEMES: Record<NonNullable<Appearance["theme"]>, Variables> = {
  stripe: {
    colorPrimary: "#0570de",
    colorBackground: "#ffffff",
    colorText: "#30313d",
    colorTextSecondary: "#6d6e78",
    colorTextPlaceholder: "#757680",
    colorDanger: "#df1b41",
    inputBorder: "1px solid #e6e6e6",
    inputBoxShadow: "0px 1px 1px rgba(0, 0, 0, 0.03), 0px 3px 6px rgba(0, 0, 0, 0.02)",
  },
  night: {
    colorPrimary: "#85d996",
    colorBackground: "#30313d",
    colorText: "#ffffff",
    colorTextSecondary: "#a3a3ab",
    colorTextPlaceholder: "#a3a3ab",
    colorDanger: "#fe87a1",
    inputBorder: "1px solid #424353",
    inputBoxShadow: "0px 2px 4px rgba(0, 0, 0, 0.5), 0px 1px 6px rgba(0, 0, 0, 0.25)",
  },
  flat: {
    colorPrimary: "#0570de",
    colorBackground: "#f1f1f1",
    colorText: "#30313d",
    colorTextSecondary: "#6d6e78",
    colorTextPlaceholder: "#757680",
    colorDanger: "#df1b41",
    inputBorder: "1px solid transparent",
    inputBoxShadow: "none",
  },
};

/** One of Stripe's classes, maybe in a state, with pseudo-classes and a pseudo-element. */
const SELECTOR = /^\.[A-Z]\w*(--\w+)?(:[a-z-]+)*(::[a-z-]+)?$/;

/** Properties that rules may set. Stripe ignores all others: nothing may move or hide a field. */
const PROPERTY =
  /^(-?webkit|-?moz|animation$|background|border|boxShadow$|color$|fill$|font|letterSpacing$|lineHeight$|margin|opacity$|outline|padding|text(Decoration|Shadow|Transform)$|transition)/;

/** Shows the fields with an appearance, instead of the last one. Warns of what Stripe would ignore, as Stripe.js does. */
export function applyAppearance({ theme = "stripe", variables = {}, rules = {} }: Appearance): void {
  const root = document.documentElement;
  root.removeAttribute("style");
  for (const [name, value] of Object.entries({ ...EVERY_THEME, ...THEMES[theme], ...variables }))
    root.style.setProperty(`--${name}`, value);

  const sheet = new CSSStyleSheet();
  for (const [selectors, properties] of Object.entries(rules)) {
    if (!selectors.split(",").every((selector) => SELECTOR.test(selector.trim()))) warn(selectors);
    else {
      sheet.insertRule(`${selectors} {}`, sheet.cssRules.length);
      const rule = sheet.cssRules[sheet.cssRules.length - 1];
      for (const [name, value] of Object.entries(properties)) {
        if (!PROPERTY.test(name)) warn(`${selectors} ${name}`);
        else if (rule instanceof CSSStyleRule) rule.style.setProperty(kebabCase(name), value);
      }
    }
  }
  document.adoptedStyleSheets = [sheet];
}

const kebabCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

// biome-ignore lint/suspicious/noConsole: Stripe.js warns the same way.
const warn = (ignored: string) => console.warn(`elements(): the appearance has an unsupported rule: ${ignored}`);
