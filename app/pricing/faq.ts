import { TRIAL_DAYS } from "./plans";

export interface FaqItem {
  question: string;
  answer: string;
}

export const faq: FaqItem[] = [
  {
    question: "How does the free trial work?",
    answer: `MINI, LITE and STANDARD start with a ${TRIAL_DAYS}-day free trial. You set up your card when you sign up; it is not charged immediately.`,
  },
  {
    question: "How often are reports generated?",
    answer: "Reports are generated monthly, with real-time monitoring on the dashboard in between.",
  },
  {
    question: "Can I upgrade my plan?",
    answer: "Yes. You can upgrade at any time, and the price difference is prorated.",
  },
  {
    question: "What support do I get?",
    answer:
      "All plans include email support. Standard adds chat support. Enterprise adds dedicated support and training.",
  },
  {
    question: "How am I billed?",
    answer:
      "All plans are monthly and fees are in U.S. dollars, due within 30 days of invoice. The Enterprise/Agency price is on request: write to our sales team.",
  },
  {
    question: "How do I cancel?",
    answer:
      "You cancel through your account settings, or with your e-mail address alone in the customer portal. Fees already paid are not refunded, except as stated in our Terms & Conditions or as required by law.",
  },
];
