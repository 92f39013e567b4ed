import { expect, test } from "vitest";
import { formatPhone } from "../../../app/contract/fields/phone";
import { subscriptionRequest } from "../../../app/contract/subscription-request";

/* A phone number as it is typed, as the field shows it after it is left, and as it is sent: only digits. */

const sentFor = (typed: string) => subscriptionRequest.shape.phone.parse(typed);

test.each<{ number: string; shown: string; sent: string; typed?: string[] }>([
  {
    number: "from the US or Canada",
    shown: "(212) 555-0123",
    sent: "2125550123",
    typed: ["212–555–0123", "𝟚𝟙𝟚𝟝𝟝𝟝𝟘𝟙𝟚𝟛", "212.555.0123 ext. 45", "212-555-0123 x45", "212 555 0123 #45"],
  },
  {
    number: "from the US or Canada with country code",
    shown: "+1 (212) 555-0123",
    sent: "12125550123",
    typed: ["12125550123", "+1 212 555 0123", "011 1 212 555 0123", "\u202a+1 (212) 555‑0123\u202c"],
  },
  {
    number: "from abroad with ten digits, which keeps 00 in front",
    shown: "+45 201 23456",
    sent: "004520123456",
    typed: ["+45 20 12 34 56", "0045 20 12 34 56"],
  },
  {
    number: "from abroad",
    shown: "+44 207 946 0958",
    sent: "442079460958",
    typed: ["(+44) 20 7946 0958", "+44 (0)20 7946 0958", "442079460958", "0044 20 7946 0958", "011 44 20 7946 0958"],
  },
  { number: "with a country code of three digits", shown: "+353 123 45678", sent: "35312345678" },
  { number: "with a country code that is a US area code", shown: "+212 555 012 345", sent: "212555012345" },
  { number: "with words", shown: "Office: 212 555 0123", sent: "2125550123" },
  { number: "that only begins like the way to dial abroad", shown: "011 91234-5678", sent: "011912345678" },
  { number: "with two last parts", shown: "2125550123/24", sent: "212555012324" },
  { number: "of zeros", shown: "00000000000000", sent: "00000000000000" },
])("a number $number is shown as $shown and sent as $sent, also once more", ({ shown, sent, typed = [] }) => {
  for (const number of [...typed, shown]) {
    expect(formatPhone(number), `${number}, shown`).toBe(shown);
    expect(sentFor(number), `${number}, sent`).toBe(sent);
  }
  expect(sentFor(sent), "sent once more").toBe(sent);
});
