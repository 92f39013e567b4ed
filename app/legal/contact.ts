import { company } from "../company";
import type { Site } from "../ui/site";

export type LegalContact = Pick<Site, "legalEmail" | "siteUrl">;

/** The contact block that ends both texts: postal address, e-mail, website. */
export function contactLines({ legalEmail, siteUrl }: LegalContact): string[] {
  return [
    ...company.postalAddress,
    `E-mail: [${legalEmail}](mailto:${legalEmail})`,
    `Website: [${siteUrl.replace(/^https?:\/\//, "").replace(/\/$/, "")}](${siteUrl})`,
  ];
}
