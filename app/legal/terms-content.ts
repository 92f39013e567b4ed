import { company } from "../company";
import { contactLines, type LegalContact } from "./contact";
import { LAST_UPDATED, type LegalDocument } from "./document";

const { name, legalName } = company;

export const terms = {
  title: "Terms & Conditions",
  description: `The terms of service under which ${name} provides its subscription platform.`,
};

/** The terms of service, section by section in the order of the specification. */
export function termsOfService(site: LegalContact): LegalDocument {
  const mail = `[${site.legalEmail}](mailto:${site.legalEmail})`;
  return {
    ...terms,
    updated: LAST_UPDATED,
    intro: [
      `These terms of service (the “Terms”) are an agreement between ${legalName} and the customer that signs up for its services. By creating an account, starting a free trial or using the Services you accept them. If you accept them for a company, you confirm that you may bind it.`,
    ],
    sections: [
      {
        id: "definitions",
        title: "Definitions",
        blocks: [
          {
            list: [
              `“${name}”, “Provider”, “we” and “us” mean ${legalName}.`,
              "“Customer” and “you” mean the company or person that subscribes to the Services.",
              "“Users” means the persons whom the Customer allows to use the Services under its account.",
              "“Services” means our subscription platform for visibility in AI search, including its prompt generation, monitoring and actions, and our website.",
              "“Customer Data” means the data that the Customer or its Users put into the Services.",
              "“Reports” means the metrics, analyses, content briefs and other output that the Services generate for the Customer.",
              "“Fees” means the amounts payable for the plan that the Customer has chosen or agreed with us.",
            ],
          },
        ],
      },
      {
        id: "services-and-access",
        title: "Services and access",
        blocks: [
          "While your subscription is in force and Fees are paid, you may access and use the Services for your own business, or, if you are an agency, for your clients, within these Terms.",
          { heading: "Account registration" },
          "You need an account. You give accurate and complete registration data, keep it current, and keep your credentials secret. You are responsible for what happens under your account, and tell us without delay of any unauthorized use.",
          { heading: "User management" },
          "You decide who your Users are, and remove those who should no longer have access. You ensure that your Users keep to these Terms and are responsible for their acts as for your own.",
          { heading: "Service limits" },
          "Each plan has limits, such as the number of prompts tracked and of content briefs, shown on the [Pricing](/pricing) page or in your order. You do not circumvent them. To go beyond them, upgrade your plan or agree on more with us.",
        ],
      },
      {
        id: "acceptable-use",
        title: "Acceptable use",
        blocks: [
          "You use the Services only lawfully and as these Terms allow. You do not, and do not let others:",
          {
            list: [
              "break any law or the rights of others through the Services;",
              "access the Services without authorization, or probe or bypass their security;",
              "disturb the Services or put an unreasonable load on them;",
              "introduce malware or other harmful code;",
              "reverse engineer the Services, except where the law permits it regardless of these Terms; or",
              "resell the Services, or use them to build a competing product, without our written consent.",
            ],
          },
          "We may suspend access as far as it is needed to stop a breach of this section or to protect the Services.",
        ],
      },
      {
        id: "data-and-privacy",
        title: "Data and privacy",
        blocks: [
          "You keep all rights to your Customer Data. You allow us to process it in order to deliver the Services to you. You confirm that you have the rights needed for this.",
          "Reports are generated automatically, and AI search engines change their answers. You must review Reports before you rely on them, publish them or act on them.",
          "We may use usage data that has been anonymized, so that it identifies neither you nor any person, to run, analyze and improve the Services.",
          "Our [Privacy Policy](/privacy) explains how we handle personal data.",
        ],
      },
      {
        id: "intellectual-property",
        title: "Intellectual property",
        blocks: [
          "We and our licensors keep all rights in the Services. Except for the right to use them under these Terms, none is transferred to you.",
          "If you give us feedback or suggestions, you grant us a perpetual, worldwide, royalty-free license to use them for any purpose, without obligation to you.",
          `We may use your name and logo in our marketing to identify you as a customer. You can opt out at any time by contacting ${mail}.`,
        ],
      },
      {
        id: "fees-and-payment",
        title: "Fees and payment",
        blocks: [
          "Fees are stated and payable in U.S. dollars and are due within 30 days of invoice. Paid plans are monthly. Where a plan offers a 5-day free trial, your card is set up at the sign-up but not charged immediately; Fees apply from the end of the trial unless you cancel before.",
          "Overdue amounts bear a late charge of 1.5% per month or the legal maximum, whichever is less.",
          "Fees are not refunded, except as stated in these Terms or required by law.",
          "Fees do not include taxes. You pay the taxes that apply to your purchase, other than those on our income.",
        ],
      },
      {
        id: "term-and-termination",
        title: "Term and termination",
        blocks: [
          "These Terms apply from your acceptance until your subscription ends.",
          {
            list: [
              "Cancellation by you: you can cancel your subscription through your account settings.",
              "Breach: either party may terminate if the other materially breaches these Terms and does not cure the breach within 30 days of written notice.",
              "Ending by us: we may end your access to the Services with 30 days’ notice.",
            ],
          },
          "When the subscription ends, your right to use the Services ends, and we may delete Customer Data after a reasonable period. Export what you want to keep before then. Fees that are due remain payable, and provisions that by their nature should last, such as those on liability and confidentiality, survive.",
        ],
      },
      {
        id: "warranties",
        title: "Warranties",
        blocks: [
          "Each party warrants that it has the power to enter into these Terms. We will provide the Services with reasonable skill and care.",
          "OTHERWISE THE SERVICES AND REPORTS ARE PROVIDED “AS IS” AND “AS AVAILABLE”. TO THE EXTENT THE LAW ALLOWS, WE DISCLAIM ALL OTHER WARRANTIES, EXPRESS OR IMPLIED, INCLUDING MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NON-INFRINGEMENT. We do not control AI search engines and do not promise that they will name, cite or rank any brand.",
        ],
      },
      {
        id: "liability",
        title: "Limitation of liability",
        blocks: [
          "TO THE EXTENT THE LAW ALLOWS, NEITHER PARTY IS LIABLE FOR INDIRECT, INCIDENTAL, SPECIAL, CONSEQUENTIAL OR PUNITIVE DAMAGES, OR FOR LOST PROFITS, REVENUE, GOODWILL OR DATA.",
          "OUR TOTAL LIABILITY ARISING FROM THESE TERMS AND THE SERVICES IS LIMITED TO THE AMOUNTS THAT YOU PAID US IN THE 12 MONTHS BEFORE THE EVENT THAT GAVE RISE TO THE CLAIM.",
          "These limits do not apply where the law does not allow them.",
        ],
      },
      {
        id: "indemnification",
        title: "Indemnification",
        blocks: [
          "You will defend and indemnify us against third-party claims that arise from your Customer Data, from your use of Reports, or from your or your Users’ breach of these Terms. We will defend and indemnify you against third-party claims that the Services, used as these Terms allow, infringe their intellectual property rights.",
          "The party that seeks indemnity gives prompt notice of the claim, leaves its defense and settlement to the other party, and gives reasonable help. No settlement may admit fault of the indemnified party without its consent.",
        ],
      },
      {
        id: "confidentiality",
        title: "Confidentiality",
        blocks: [
          "Each party keeps confidential the non-public information of the other that is marked as such or is evidently confidential, protects it with reasonable care, uses it only for these Terms, and discloses it only to persons who need it and are bound likewise.",
          "This does not cover information that is or becomes public without a breach, was known before, comes lawfully from a third party, or is developed independently. Disclosure that the law compels is allowed, with notice to the other party where that is lawful.",
        ],
      },
      {
        id: "dispute-resolution",
        title: "Dispute resolution",
        blocks: [
          "These Terms are governed by the law of the State of Delaware, without its conflict-of-laws rules. The courts in Delaware have exclusive jurisdiction, and both parties submit to it.",
          "For claims under $100,000 the party that brings the claim may choose binding arbitration instead.",
        ],
      },
      {
        id: "general-provisions",
        title: "General provisions",
        blocks: [
          {
            list: [
              "Amendments: we may amend these Terms with 30 days’ notice. If you keep using the Services after that, you accept the amended Terms.",
              "Entire agreement: these Terms and your order are the whole agreement between us on the Services.",
              "Assignment: you may not assign these Terms without our consent. We may assign them to a successor of our business.",
              "Severability and waiver: if a provision is invalid, the rest remains in force. Not enforcing a provision does not waive it.",
              "Force majeure: neither party is liable for delay or failure caused by events beyond its reasonable control, payment obligations excepted.",
              "Independent parties: these Terms create no partnership, agency or employment.",
            ],
          },
        ],
      },
      {
        id: "contact",
        title: "Contact",
        blocks: ["Notices and questions about these Terms go to:", { address: contactLines(site) }],
      },
    ],
  };
}
