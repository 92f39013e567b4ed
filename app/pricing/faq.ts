import type { Site } from "../ui/use-site";

interface FaqItem {
  question: string;
  answer: string;
}

export const faq = ({
  automaticTax,
  customerPortalUrl,
}: Pick<Site, "automaticTax" | "customerPortalUrl">): FaqItem[] => [
  {
    question: "How often are reports generated?",
    answer: "Reports are generated monthly, with real-time monitoring on the dashboard.",
  },
  {
    question: "Can I upgrade my plan?",
    answer: `Yes. You can upgrade at any time, and the price difference is prorated. To downgrade, ${customerPortalUrl ? "choose a smaller plan in the customer portal" : "contact support"}.`,
  },
  {
    question: "Can I add domains and teammates?",
    answer: "Yes. Every plan has unlimited domains and seats.",
  },
  {
    question: "What support do I get?",
    answer:
      "All plans include email support. Standard adds chat support. Enterprise adds dedicated support and training.",
  },
  {
    question: "How am I billed?",
    answer: `All plans are billed monthly in U.S. dollars, and invoices are due within 30 days.${automaticTax ? " Prices do not include taxes; you pay any that apply." : ""}`,
  },
  {
    question: "How do I cancel?",
    answer: `You can cancel at any time, including during the trial: through your account settings${customerPortalUrl ? ", or in the customer portal with just your email address" : ""}. Fees already paid are not refunded, except as stated in our Terms & Conditions or as required by law.`,
  },
];
