import { company } from "../company";
import { hero } from "../home/home-content";
import { pricing } from "../pricing/pricing-content";
import type { PublicPath } from "./public-paths";

export interface ShareImage {
  file: string;
  headline: string;
  highlight: string;
}

/** Each page's headline; `npm run images` draws them as share images. */
export const shareImages: Record<PublicPath, ShareImage> = {
  "/": { file: "/share/home.png", headline: `${hero.headline} ${hero.ending}\u00a0`, highlight: hero.cited },
  "/pricing": { file: "/share/pricing.png", headline: pricing.title, highlight: "" },
  "/privacy": { file: "/share/privacy.png", headline: "Privacy Policy", highlight: "" },
  "/terms": { file: "/share/terms.png", headline: "Terms & Conditions", highlight: "" },
  "/security": { file: "/share/security.png", headline: "Security", highlight: "" },
};

export const SHARE_IMAGE_SIZE = { width: 1200, height: 630 };

export function describeShareImage({ headline, highlight }: ShareImage): string {
  return `The logo of ${company.name} and the words “${headline}${highlight}”`.replaceAll("\u00a0", " ");
}
