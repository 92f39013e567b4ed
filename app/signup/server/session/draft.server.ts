import { formatPhone } from "../../../contract/fields/phone";
import type { CardSession } from "../../steps";

/** URL parameter with the sealed form values, for browsers that block cookies. */
export const DRAFT_PARAMETER = "draft";

/** The accepted form's fields, without the passwords. */
export function draftOf({ account, address, otherFields }: CardSession): Record<string, string> {
  return {
    ...(account && {
      full_name: account.fullName,
      company_name: account.companyName,
      email: account.email,
      phone: formatPhone(account.phone),
    }),
    ...(address && {
      address: address.line1,
      city: address.city,
      state: address.state,
      zipCode: address.postalCode,
      country: address.country,
    }),
    ...otherFields,
  };
}
