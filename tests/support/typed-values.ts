/* Values that people type and paste, and what becomes of them: the same in the form, with and without JavaScript, and in the API. */

export type TypedValue = {
  field: string;
  typed: string;
  /** What the API gets, and what pages and emails show. */
  sent: string;
  /** What the form shows once the field is left, if it is not what is sent. */
  shown?: string;
};

const columnsOf = (field: string, sent: string, ...typed: string[]): TypedValue[] =>
  typed.map((each) => ({ field, typed: each, sent }));
const asTyped = (field: string, ...typed: string[]): TypedValue[] =>
  typed.flatMap((each) => columnsOf(field, each, each));

export const LOCAL_64 = "a".repeat(64);
export const LABEL_63 = "b".repeat(63);
export const DOMAIN_252 = `${`${LABEL_63}.`.repeat(3)}${"c".repeat(60)}`;

export const ACCEPTED: TypedValue[] = [
  ...asTyped(
    "email",
    "r&d@example.com",
    "a/b@example.com",
    "!def!xyz%abc@example.com",
    "customer=shipping@example.com",
    "o'neil@example.com",
    "a#*?^`{|}~_-.b@example.com",
    "a..b.@example.co.jp",
    "ada+news@mail.example.co",
    `${LOCAL_64}@example.com`,
    `a@${LABEL_63}.example.com`,
    `a@${DOMAIN_252}`,
    "a@b.c",
  ),
  ...columnsOf("email", "$a12345@example.com", "$A12345@example.com"),
  ...columnsOf(
    "email",
    "ada@example.com",
    " Ada@Example.COM ",
    "ada @ example . com",
    "\u00a0ada@\u3000example.com\u2003",
    "\tada@example.com\r\n",
    "\u200bada@exam\u2060ple.com\ufeff",
    "\u200eada\u200f@exam\u00adple.com\u061c",
    "\u202aada@example.com\u202c",
    "\u2068ada@example.com\u2069",
    "ada\u200d@\u200cexample.com",
    "ada\u180e@\ufe0fexample.com",
    "ada\uff20example\uff0ecom",
    "ada@example\u3002com",
    "ada@example\uff61com",
    "\uff21\uff44\uff41\uff20\uff45xample\uff0e\uff43om",
    "mailto:ada@example.com",
    "MAILTO:Ada@example.com",
    "mailto: ada@example.com",
    "mailto://ada@example.com",
    "ada@example.com.",
    "ada@example.com,",
    "ada@example.com;",
    "ada@example.com.,;.",
    "ada@example.com\u3002",
    "ada@example.com\uff0c ",
    "mailto:ada@example.com;",
  ),
  ...columnsOf(
    "email",
    "ada@xn--mnchen-3ya.de",
    "ada@m\u00fcnchen.de",
    "ada@mu\u0308nchen.de",
    "ADA@M\u00dcNCHEN.DE",
    "ada@XN--MNCHEN-3YA.de",
    "ada@m\u00fcnchen.de.",
    "mailto:ada@m\u00fc\u200bnchen\u3002de",
  ),
  ...columnsOf("email", "user@sub.xn--mnchen-3ya.de", "user@sub.m\u00fcnchen.de"),
  ...columnsOf("email", "ada@xn--strae-oqa.de", "ada@stra\u00dfe.de"),
  ...columnsOf("email", "ada@xn--e1afmkfd.xn--p1ai", "ada@\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444"),
  ...columnsOf("email", "ada@xn--ls8h.la", "ada@\u{1f4a9}.la"),
  ...columnsOf("email", "ada@xn--mgba3gch31f060k.com", "ada@\u0646\u0627\u0645\u0647\u200c\u0627\u06cc.com"),
  ...columnsOf(
    "full_name",
    "Ada Byron",
    "Ada\tByron",
    "Ada\u00a0Byron",
    "Ada\u3000\u2003Byron",
    "  Ada   Byron  ",
    "Ada\r\nByron\n",
    "Ada\u2028Byron\u2029",
    "\ufeffAda\u200b \u2060By\u00adron",
    "\u200e\u202aAda Byron\u202c\u200f",
    "\u2068 Ada Byron\u2069",
    "\u200cAda Byron\u200d",
  ),
  ...columnsOf("full_name", "Zo\u00eb", "  Zoe\u0308  "),
  ...asTyped(
    "full_name",
    "Nguy\u1ec5n Th\u1ecb H\u1ea3o",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "\u{1f469}\u200d\u{1f4bb} Ada",
    "\u{20bb7}\u91ce",
    "\u05e2\u05d3\u05d4 (Ada)\u200f Byron",
  ),
  ...asTyped(
    "company_name",
    "3M",
    "Booking.com Ltd",
    "Awww.Cute",
    "www. GmbH",
    "Smith // Sons Inc.",
    "https: the company",
    "a//b",
    "O\u2019Neil & S\u00f6hne",
  ),
  ...columnsOf("address", "1 Example Street Suite 5", "1 Example Street\r\nSuite 5", "1 Example\u2028Street\tSuite 5"),
  ...columnsOf("city", "\u00e9".repeat(80), "e\u0301".repeat(80)),
  ...columnsOf(
    "zipCode",
    "62701",
    " 62701 ",
    "\u200e62701\u200f",
    "62\u200b70\u20681",
    "\uff16\uff12\uff17\uff10\uff11",
    "٦٢٧٠١",
  ),
  ...columnsOf(
    "zipCode",
    "94105-1234",
    "94105-1234",
    "94105\u20131234",
    "94105 - 1234",
    "94105\u00a0\u2014 1234",
    "94105\u20111234",
    "94105\u22121234",
    "\uff19\uff14\uff11\uff10\uff15\uff0d\uff11\uff12\uff13\uff14",
    "94105\u30fc1234",
  ),
  ...columnsOf("phone", "2125550123", "(212) 555-0123", "\u200f212\u00a0555\u00a00123\u200f", "٢١٢ ٥٥٥ ٠١٢٣").map(
    (row) => ({ ...row, shown: "(212) 555-0123" }),
  ),
  ...columnsOf("phone", "12125550123", "+1\u00a0(212)\u00a0555\u20110123", "\uff0b１ ２１２ ５５５ ０１２３").map(
    (row) => ({ ...row, shown: "+1 (212) 555-0123" }),
  ),
  { field: "phone", typed: "0113 496 0000", sent: "01134960000", shown: "0113 496 0000" },
  { field: "phone", typed: "123456789012345", sent: "123456789012345", shown: "+1 234 567 890 12345" },
];
