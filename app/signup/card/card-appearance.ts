import type { Appearance } from "@stripe/stripe-js";
import { useEffect, useState } from "react";

const DARK = "(prefers-color-scheme: dark)";

/** Makes Stripe's fields look like the form's in signup.css, in the visitor's color scheme whenever it changes. */
export function useCardAppearance(): Appearance {
  const [appearance, setAppearance] = useState(cardAppearance);
  useEffect(() => {
    const scheme = matchMedia(DARK);
    const update = () => setAppearance(cardAppearance());
    scheme.addEventListener("change", update);
    return () => scheme.removeEventListener("change", update);
  }, []);
  return appearance;
}

function cardAppearance(): Appearance {
  const style = getComputedStyle(document.body);
  const color = (name: string) => style.getPropertyValue(`--color-${name}`).trim();
  return {
    theme: matchMedia(DARK).matches ? "night" : "stripe",
    variables: {
      colorPrimary: color("brand"),
      colorText: color("ink"),
      colorTextSecondary: color("muted"),
      colorTextPlaceholder: color("muted"),
      colorBackground: color("raised"),
      colorDanger: color("danger"),
      borderRadius: "10px",
      fontFamily: style.fontFamily,
      fontSizeBase: style.fontSize,
    },
    rules: {
      ".Input": { borderColor: color("line-strong"), boxShadow: "none", padding: "10px 14px" },
      ".Input:focus": { outline: `3px solid ${color("brand")}`, outlineOffset: "1px", boxShadow: "none" },
      ".Input--invalid": { borderColor: color("danger"), boxShadow: `inset 0 0 0 1px ${color("danger")}` },
      ".Error": { fontSize: "0.9375rem", fontWeight: "600" },
      ".Label": { fontSize: style.fontSize, fontWeight: "650" },
      ".Tab": { borderColor: color("line-strong"), boxShadow: "none" },
    },
  };
}
