import { formatPhone } from "../../../contract/phone";
import type { CardSession } from "../../steps";

/** In the URL of the form, for a browser that keeps no cookies: the sealed values that were sent. */
export const DRAFT_PARAMETER = "draft";

/** The form's fields as they were accepted, without the passwords. */
export function draftOf({ account, address }: CardSession): Record<string, string> {
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
  };
}
