import type { LegalText } from "./legal-text";
import * as privacyText from "./privacy.mdx";
import * as securityText from "./security.mdx";
import * as termsText from "./terms.mdx";

export const privacy = legalText("/privacy", privacyText);
export const terms = legalText("/terms", termsText);
export const security = legalText("/security", securityText);

function legalText(
  path: LegalText["path"],
  { attributes, tableOfContents: sections, default: Content }: typeof privacyText,
): LegalText {
  return { ...attributes, path, sections, Content };
}
