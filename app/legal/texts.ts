import type { LegalText } from "./legal-text";
import Privacy, { attributes as privacyAttributes, tableOfContents as privacySections } from "./privacy.mdx";
import Security, { attributes as securityAttributes, tableOfContents as securitySections } from "./security.mdx";
import Terms, { attributes as termsAttributes, tableOfContents as termsSections } from "./terms.mdx";

export const privacy: LegalText = {
  ...privacyAttributes,
  path: "/privacy",
  sections: privacySections,
  Content: Privacy,
};

export const terms: LegalText = {
  ...termsAttributes,
  path: "/terms",
  sections: termsSections,
  Content: Terms,
};

export const security: LegalText = {
  ...securityAttributes,
  path: "/security",
  sections: securitySections,
  Content: Security,
};
