import type { Appearance } from "@stripe/stripe-js";

/** Makes Stripe's fields look like the form's (`.field` in signup.css). */
export function cardAppearance(): Appearance {
  const style = getComputedStyle(document.body);
  const color = (name: string) => style.getPropertyValue(`--color-${name}`).trim();
  return {
    theme: "stripe",
    variables: {
      colorPrimary: color("brand"),
      colorText: color("ink"),
      colorTextSecondary: color("muted"),
      colorBackground: color("raised"),
      colorDanger: color("danger"),
      borderRadius: "10px",
      fontFamily: style.fontFamily,
      fontSizeBase: style.fontSize,
    },
    rules: {
      ".Input": { borderColor: color("line-strong"), boxShadow: "none", padding: "10px 14px" },
      ".Input:focus": { outline: `3px solid ${color("brand")}`, outlineOffset: "1px", boxShadow: "none" },
      ".Label": { fontSize: style.fontSize, fontWeight: "650" },
      ".Tab": { borderColor: color("line-strong"), boxShadow: "none" },
    },
  };
}
