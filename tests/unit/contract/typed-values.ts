/* Values that people type and paste, and what becomes of them: the same in the form, with and without JavaScript, and in the API. */

type TypedValue = {
  field: string;
  typed: string;
  /** What the API gets, and what pages and emails show. */
  sent: string;
  /** What the form shows once the field is left, if it is not what is sent. */
  shown?: string;
};

const sentAs = (field: string, sent: string, ...typed: string[]): TypedValue[] =>
  typed.map((each) => ({ field, typed: each, sent }));
const sentAsTyped = (field: string, ...typed: string[]) => typed.flatMap((each) => sentAs(field, each, each));
const phone = (typed: string, sent: string, shown: string): TypedValue => ({ field: "phone", typed, sent, shown });

const LOCAL_64 = "a".repeat(64);
const LABEL_63 = "b".repeat(63);
const DOMAIN_252 = `${`${LABEL_63}.`.repeat(3)}${"c".repeat(60)}`;
/** Invisible characters that are copied with an address or a ZIP code. */
const COPIED = "\u200b\u200e\u200f\u202a\u202c\u2060\u2068\u2069\u00ad\u061c\u180e\ufe0f\ufeff";
/** Joiners and direction marks, which mean nothing at the ends of a name. */
const EDGE = "\u200c\u200d\u200e\u200f\u061c\u202a\u202b\u202c\u2066\u2067\u2068\u2069";

export const ACCEPTED: TypedValue[] = [
  ...sentAsTyped(
    "email",
    ".!#$%&'*+/=?^_`{|}~-9@mail.example.co.jp",
    `${LOCAL_64}@example.com`,
    `a@${LABEL_63}.example.com`,
    `a@${DOMAIN_252}`,
    "a@b.c",
  ),
  ...sentAs(
    "email",
    "ada@example.com",
    "\u00a0 Ada @\u3000EXAMPLE . com\u2003\r\n",
    `${COPIED}ada${COPIED}@example.com${COPIED}`,
    "ada\u200d@\u200cexample.com",
    "\uff21\uff44\uff41\uff20\uff45xample\uff0e\uff43om",
    "MAILTO: //ada@example.com",
    "ada@example.com.,;.",
    "ada@example.com\uff0c ",
    "ada@example.com\u3002",
  ),
  ...sentAs("email", "ada@mail.example.com", "ada@mail\u3002example\uff61com"),
  ...sentAs(
    "email",
    "ada@xn--mnchen-3ya.de",
    "ada@mu\u0308nchen.de",
    "ADA@M\u00dcNCHEN.DE.",
    "ada@XN--MNCHEN-3YA.de",
    "mailto:ada@m\u00fc\u200bnchen\u3002de",
  ),
  ...sentAs("email", "user@sub.xn--mnchen-3ya.de", "user@sub.m\u00fcnchen.de"),
  ...sentAs("email", "ada@xn--strae-oqa.de", "ada@stra\u00dfe.de"),
  ...sentAs("email", "ada@xn--e1afmkfd.xn--p1ai", "ada@\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444"),
  ...sentAs("email", "ada@xn--ls8h.la", "ada@\u{1f4a9}.la"),
  ...sentAs("email", "ada@xn--mgba3gch31f060k.com", "ada@\u0646\u0627\u0645\u0647\u200c\u0627\u06cc.com"),
  ...sentAs("full_name", "Ada Byron", "\ufeffAda\u200b \u2060By\u00adron", `${EDGE} Ada  Byron ${EDGE}`),
  ...sentAsTyped(
    "full_name",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "\u{1f469}\u200d\u{1f4bb} Ada",
    "\u{20bb7}\u91ce",
    "\u05e2\u05d3\u05d4 (Ada)\u200f Byron",
  ),
  ...sentAsTyped(
    "company_name",
    "Booking.com Ltd",
    "Awww.Cute",
    "www. GmbH",
    "Smith // Sons Inc.",
    "https: the company",
    "a//b",
  ),
  ...sentAs("city", "\u00e9".repeat(80), "e\u0301".repeat(80)),
  ...sentAs("zipCode", "62701", " 62701 ", `62${COPIED}701`, "٦٢٧٠١"),
  ...sentAs("zipCode", "94105-1234", "94105 \u2013 1234", "94105\u22121234", "94105\u30fc1234"),
  phone("\u200f212\u00a0555\u00a00123\u200f", "2125550123", "(212) 555-0123"),
  phone("٢١٢ ٥٥٥ ٠١٢٣", "2125550123", "(212) 555-0123"),
  phone("+1\u00a0(212)\u00a0555\u20110123", "12125550123", "+1 (212) 555-0123"),
  phone("\uff0b１ ２１２ ５５５ ０１２３", "12125550123", "+1 (212) 555-0123"),
  phone("0113 496 0000", "01134960000", "0113 496 0000"),
  phone("123456789012345", "123456789012345", "+1 234 567 890 12345"),
];

/** A value that the form and the API refuse, with the message under its field. */
type RefusedValue = { field: string; typed: string; message: string };

const refusedWith = (field: string, message: string, ...typed: string[]): RefusedValue[] =>
  typed.map((each) => ({ field, message, typed: each }));

export const REFUSED: RefusedValue[] = [
  ...refusedWith(
    "email",
    "Please enter a valid email address",
    "ada",
    "@example.com",
    "test@test",
    "ada@m\u00fcnchen",
    "ada@b@example.com",
    "a@b.co, c@d.co",
    "<ada@example.com>",
    '"ada"@example.com',
    "mailto:a@b.co?subject=x",
    `${LOCAL_64}a@example.com`,
    `a@${LABEL_63}b.example.com`,
    `aa@${DOMAIN_252}`,
    `ada@${"\u00fc".repeat(60)}.de`,
    "ada@-example.com",
    "ada@example-.com",
    "ada@-m\u00fcnchen.de",
    "ada@example..com",
    "ada@ex_ample.com",
    "ada@m\u00fc%41.de",
    "ada@127.0.0.1",
    "\u0430da@example.com",
    "\u202eada@example.com",
    "a@b.co\r\nBcc:x@y.z",
  ),
  ...refusedWith("full_name", "Contact name must be at least 2 characters", "e\u0301", "\u200b\u200b", "\u{20bb7}"),
  ...refusedWith("company_name", "Company name must be at least 2 characters", "\u3164\u115f", "\u2800\u2800"),
  ...refusedWith(
    "company_name",
    "Company name must not contain a web address",
    "Ada HTTPS://evil.test",
    "\uff48\uff54\uff54\uff50\uff1a\uff0f\uff0fevil.test",
    "ht\u200btp:/\u2060/evil.test",
    "Ada //evil.test/free",
    "see (WWW.evil.test)",
    "ww\u200bw.evil.test",
  ),
  ...refusedWith("company_name", "Company name must not contain control or unreadable characters", "\u202eAda\u202c"),
  ...refusedWith("zipCode", "ZIP code must be at least 5 characters", "\u200b1234"),
  ...refusedWith(
    "zipCode",
    "Please enter a valid ZIP code",
    "1234x",
    "627011",
    "12345 6789",
    "123456789",
    "12345-678",
    "12345-67890",
    "12345--6789",
    "12345-",
  ),
  ...refusedWith("phone", "Phone number is required", "", "call me"),
  ...refusedWith(
    "phone",
    "Phone number must be 10-15 digits",
    "212555012",
    "+45 20 12 34",
    "1-800-FLOWERS",
    "1234567890123456",
    "212 555 0123 / 212 555 0124",
  ),
  ...refusedWith(
    "phone",
    "Please enter a valid phone number",
    "1125550123",
    "2121550123",
    "+1 212 155 0123",
    "+1 212 555 012",
    "06 12 34 56 78",
  ),
];
