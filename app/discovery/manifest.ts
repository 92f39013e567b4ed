import { company } from "../company";

/** The web app manifest (https://www.w3.org/TR/appmanifest/): name and icons of a shortcut to the site. */
export const manifest = {
  name: company.name,
  short_name: company.name,
  start_url: "/",
  display: "browser",
  background_color: "#fdfdfe",
  theme_color: "#2b3bdb",
  icons: [
    { src: "/icon-192.png", sizes: "192x192", type: "image/png" },
    { src: "/icon-512.png", sizes: "512x512", type: "image/png" },
    { src: "/icon-maskable-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
  ],
};
