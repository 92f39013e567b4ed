import { company } from "../company";
import { contactLines, type LegalContact } from "./contact";
import { LAST_UPDATED, type LegalDocument } from "./document";

const { name, legalName } = company;

export const privacy = {
  title: "Privacy Policy",
  description: `What personal data ${name} collects, why, with whom it is shared, and the rights you have over it.`,
};

/** The privacy policy, in the order of the specification. */
export function privacyPolicy(site: LegalContact): LegalDocument {
  const mail = `[${site.legalEmail}](mailto:${site.legalEmail})`;
  return {
    ...privacy,
    updated: LAST_UPDATED,
    intro: [
      `This Privacy Policy explains how ${legalName} (“${name}”, “we”, “us”) handles personal data when you visit our website, sign up for a plan or use our services (together, the “Services”).`,
      "In short: we never use your personal data to train general-purpose AI models without your consent, and we do not sell it.",
    ],
    sections: [
      {
        id: "information-we-collect",
        title: "Information we collect",
        blocks: [
          "We collect the personal data that you give us and the data that arises when you use the Services:",
          {
            list: [
              "Account and contact data: contact name, company name, e-mail address, phone number and the password of your account.",
              "Billing data: street address, city, state or province, ZIP code and country, the plan you chose, and the state of your subscription and payments.",
              "Card data: you enter it directly with our card payment provider. It does not pass through our website; we receive confirmation that a card was set up.",
              "Data that you put into the Services, such as keywords, domains, prompts and personas.",
              "Correspondence: what you write to our sales and support teams.",
              "Technical data: IP address, browser and device type, pages requested, and times of access.",
            ],
          },
        ],
      },
      {
        id: "how-we-use-information",
        title: "How we use information",
        blocks: [
          "We use personal data to:",
          {
            list: [
              "create and manage your account, free trial and subscription;",
              "provide, secure, maintain and improve the Services;",
              "issue invoices and process payments;",
              "answer your requests and send you messages about your account and the Services;",
              "prevent misuse and fraud; and",
              "meet legal obligations and enforce our [Terms & Conditions](/terms).",
            ],
          },
          "Where the General Data Protection Regulation (GDPR) applies, our legal bases are the performance of our contract with you, our legitimate interest in running secure and useful Services, your consent where we ask for it, and compliance with law.",
          "We never use personal data to train general-purpose AI models without your consent.",
        ],
      },
      {
        id: "how-we-share-information",
        title: "How we share information",
        blocks: [
          "We do not sell personal data. We share it only:",
          {
            list: [
              "with service providers that process it for us, such as hosting and card payment providers, under contracts that bind them to our instructions and to confidentiality;",
              "with the users and administrators of your company’s account, as far as the Services show it to them;",
              "with authorities or other parties where the law requires it, or where it is needed to protect rights, safety or property;",
              "with a successor in a merger, acquisition or sale of assets, who remains bound by this policy; and",
              "with others where you have consented or asked us to.",
            ],
          },
        ],
      },
      {
        id: "security",
        title: "Security",
        blocks: [
          "We protect personal data by technical and organizational measures that are appropriate to its risk, such as encryption in transit and restricted access. No method of transmission or storage is wholly secure, and we cannot guarantee absolute security. Keep your password secret and tell us at once if you suspect that your account has been misused.",
        ],
      },
      {
        id: "retention",
        title: "Retention",
        blocks: [
          "We keep personal data only for as long as we need it for the purposes above: while your account is active, and afterwards for a reasonable period, or longer where the law requires it or where we need it to settle disputes and enforce agreements. After that we delete or anonymize it.",
        ],
      },
      {
        id: "your-rights",
        title: "Your rights",
        blocks: [
          { heading: "Under the GDPR" },
          "If the GDPR applies to you, you may:",
          {
            list: [
              "ask for access to your personal data and a copy of it;",
              "have it corrected, completed or erased;",
              "restrict or object to its processing;",
              "receive it in a portable format;",
              "withdraw a consent at any time, with effect for the future; and",
              "complain to your data protection supervisory authority.",
            ],
          },
          { heading: "Under the CCPA" },
          "If you are a resident of California, the California Consumer Privacy Act (CCPA) gives you the right to:",
          {
            list: [
              "know which personal information we collect, use and disclose, and receive it;",
              "have it deleted or corrected;",
              "opt out of its sale or sharing: we do not sell personal information; and",
              "not be discriminated against for using your rights.",
            ],
          },
          { heading: "How to use your rights" },
          `Write to ${mail}. We may ask for information that lets us verify your identity, and we answer within the time that the law sets. You may use an authorized agent where the law allows it.`,
        ],
      },
      {
        id: "cookies",
        title: "Cookies",
        blocks: [
          "We use cookies and similar technologies that are needed for the Services to work, for instance to keep your place in the sign-up and to secure it. You can block or delete cookies in your browser; parts of the Services may then not work. Our card payment provider may set cookies of its own on the payment step, to process your card and prevent fraud.",
        ],
      },
      {
        id: "international-transfers",
        title: "International transfers",
        blocks: [
          "Your personal data may be processed in the United States and in other countries whose data protection laws differ from those of your own. Where the law requires it, we protect such transfers by recognized safeguards, such as standard contractual clauses.",
        ],
      },
      {
        id: "children",
        title: "Children under 13",
        blocks: [
          `The Services are not meant for children under 13, and we do not knowingly collect personal data from them. If you believe that a child under 13 has given us personal data, write to ${mail} and we will delete it.`,
        ],
      },
      {
        id: "third-party-links",
        title: "Third-party links",
        blocks: [
          "The Services may link to websites that we do not run. This policy does not cover them: please read their own privacy policies.",
        ],
      },
      {
        id: "changes",
        title: "Changes to this policy",
        blocks: [
          "We may change this policy. We publish the new version on this page with a new date and, where a change is material, tell you by e-mail or in the Services before it takes effect.",
        ],
      },
      {
        id: "contact",
        title: "Contact",
        blocks: ["Questions about this policy and requests about your data go to:", { address: contactLines(site) }],
      },
    ],
  };
}
