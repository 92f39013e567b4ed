import { intentId } from "./setup-intent-requests";

/** Sent by the bank's page to its parent when it is done: pages/authentication-page.ts. */
const DONE = "stripe-simulator:authenticated";

/** Shows the bank's page over this one until it is done, as Stripe.js does for 3-D Secure 2. */
export function authenticateInDialog(origin: string, clientSecret: string): Promise<void> {
  const dialog = document.createElement("dialog");
  const iframe = document.createElement("iframe");
  const name = "Authentication by your bank";
  dialog.ariaLabel = name;
  iframe.title = name;
  iframe.src = `${origin}/authenticate/${intentId(clientSecret)}/${encodeURIComponent(clientSecret)}`;
  // Set through the CSSOM, because the page's Content-Security-Policy allows no style attributes in markup.
  const box = { boxSizing: "border-box", width: "min(30rem, calc(100% - 2rem))", maxHeight: "calc(100% - 2rem)" };
  // Restores the margins that center a dialog, which the page's CSS reset removes.
  Object.assign(dialog.style, {
    ...box,
    margin: "auto",
    padding: "0",
    border: "1px solid GrayText",
    borderRadius: "0.75rem",
  });
  Object.assign(iframe.style, { display: "block", width: "100%", height: "24rem", border: "0" });
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  dialog.appendChild(iframe);
  document.body.appendChild(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    window.addEventListener("message", function onDone({ data, source }: MessageEvent<unknown>) {
      if (source !== iframe.contentWindow || data !== DONE) return;
      window.removeEventListener("message", onDone);
      dialog.remove();
      resolve();
    });
  });
}
