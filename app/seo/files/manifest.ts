import { company } from "../../company";

/** https://www.w3.org/TR/appmanifest/ */
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
