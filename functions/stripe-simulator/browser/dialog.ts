import { intentId } from "./rest";

/** What the bank's page says to its parent when it is over: pages/authentication.ts. */
const OVER = "stripe-simulator:authenticated";

/** Shows the bank's page over this one, as Stripe.js does for 3-D Secure 2, until it is over. */
export function authenticateInDialog(origin: string, clientSecret: string): Promise<void> {
  const dialog = document.createElement("dialog");
  const iframe = document.createElement("iframe");
  dialog.setAttribute("aria-label", "Authentication by your bank");
  iframe.title = "Authentication by your bank";
  iframe.src = `${origin}/authenticate/${intentId(clientSecret)}/${encodeURIComponent(clientSecret)}`;
  // Through the CSSOM: the page's content security policy allows no style attributes in markup.
  Object.assign(dialog.style, { padding: "0", border: "0", width: "min(30rem, 100%)" });
  Object.assign(iframe.style, { display: "block", width: "100%", height: "26rem", border: "0" });
  // It cannot be dismissed: the bank's page has the button for that.
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  dialog.appendChild(iframe);
  document.body.appendChild(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    window.addEventListener("message", function over({ data, source }: MessageEvent<unknown>) {
      if (source !== iframe.contentWindow || data !== OVER) return;
      window.removeEventListener("message", over);
      dialog.remove();
      resolve();
    });
  });
}
