import Stripe from "stripe";
import { isPermissionError } from "./failures";
import type { Line } from "./line";
import type { Target } from "./target";

type Permission = {
  /** As the Dashboard calls it. */
  name: string;
  needs: "Read" | "Write";
  /** Without it only this command fails, and not the API. */
  onlyHere?: true;
  read: (stripe: Stripe) => Promise<unknown>;
  /** Changes nothing: what it names does not exist, which Stripe says only to a key that may write. */
  write?: (stripe: Stripe) => Promise<unknown>;
};

const one = { limit: 1 };
const noPrice = { currency: "usd", product: "prod_none", recurring: { interval: "month" }, unit_amount: 100 } as const;

const PERMISSIONS: Permission[] = [
  {
    name: "Customers",
    needs: "Write",
    read: ({ customers }) => customers.list(one),
    write: ({ customers }) => customers.update("cus_none", {}),
  },
  {
    name: "SetupIntents",
    needs: "Write",
    read: ({ setupIntents }) => setupIntents.list(one),
    write: ({ setupIntents }) => setupIntents.cancel("seti_none"),
  },
  {
    name: "PaymentMethods",
    needs: "Write",
    read: ({ paymentMethods }) => paymentMethods.retrieve("pm_none"),
    write: ({ paymentMethods }) => paymentMethods.detach("pm_none"),
  },
  {
    name: "Subscriptions",
    needs: "Write",
    read: ({ subscriptions }) => subscriptions.list(one),
    write: ({ subscriptions }) => subscriptions.cancel("sub_none"),
  },
  { name: "Invoices", needs: "Read", read: ({ invoices }) => invoices.list(one) },
  {
    name: "Products",
    needs: "Write",
    read: ({ products }) => products.list(one),
    write: ({ products }) => products.update("prod_none", {}),
  },
  {
    name: "Prices",
    needs: "Write",
    read: ({ prices }) => prices.list(one),
    write: ({ prices }) => prices.create(noPrice),
  },
  {
    name: "Webhook Endpoints",
    needs: "Write",
    onlyHere: true,
    read: ({ webhookEndpoints }) => webhookEndpoints.list(one),
    write: ({ webhookEndpoints }) => webhookEndpoints.update("we_none", {}),
  },
  {
    name: "Customer portal",
    needs: "Write",
    onlyHere: true,
    read: ({ billingPortal }) => billingPortal.configurations.list(one),
    write: ({ billingPortal }) => billingPortal.configurations.update("bpc_none", {}),
  },
];

/** A line for each permission that the key lacks. Throws Stripe's error where it does not know the key at all. */
export async function permissions({ stripe, isRestricted }: Target, mode: "check" | "set-up"): Promise<Line[]> {
  if (!isRestricted) {
    await stripe.customers.list(one);
    return [{ mark: "ok", text: "the key: a secret key, which may do everything" }];
  }
  const lines: Line[] = [];
  for (const permission of PERMISSIONS) {
    const { name, needs, onlyHere, read, write } = permission;
    const mayRead = await isAllowed(() => read(stripe));
    const mayWrite = mayRead && write && mode === "set-up" ? await isAllowed(() => write(stripe)) : mayRead;
    if (mayRead && mayWrite) continue;
    const whom = onlyHere ? "for this command alone; or use the account's secret key" : "for the API";
    const text = `the key lacks ${name}: tick ${needs}, ${whom} (https://dashboard.stripe.com/apikeys)`;
    lines.push({ mark: onlyHere ? "untested" : "failed", text });
  }
  if (lines.length === 0) lines.push({ mark: "ok", text: "the key: a restricted key with what it needs" });
  if (mode === "check") lines.push({ mark: "untested", text: "what the key may write: npm run stripe:setup tests it" });
  return lines;
}

async function isAllowed(request: () => Promise<unknown>): Promise<boolean> {
  try {
    await request();
    return true;
  } catch (error) {
    if (isPermissionError(error)) return false;
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return true;
    throw error;
  }
}
