import { Form, useLocation } from "@remix-run/react";
import { formatPhone } from "../../contract/phone";
import { Button } from "../../ui/button";
import type { Account } from "../steps";

export function SuccessStep({ account }: { account: Account }) {
  const { pathname } = useLocation();
  const details = [
    ["Company", account.companyName],
    ["Contact", account.fullName],
    ["Email", account.email],
    ["Phone", formatPhone(account.phone)],
  ];
  return (
    <>
      <p className="text-lg">Thank you for your subscription. Your 5 days trial period has been started.</p>
      <section className="card mt-8 p-6" aria-labelledby="details">
        <h2 id="details" className="text-heading">
          Subscription Details
        </h2>
        <dl className="mt-4 grid gap-x-6 gap-y-2 sm:grid-cols-[auto_1fr]">
          {details.map(([term, value]) => (
            <div key={term} className="contents">
              <dt className="font-semibold text-muted">{term}</dt>
              <dd className="break-words">{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section className="mt-6" aria-labelledby="next">
        <h2 id="next" className="text-heading">
          What's Next?
        </h2>
        <p className="mt-2 text-muted">
          A confirmation email with details and next steps will be sent to <strong>{account.email}</strong>.
        </p>
      </section>
      <Form method="post" action={pathname} className="mt-8">
        <Button type="submit" variant="ghost" className="-ml-5" name="intent" value="start-over">
          Sign up another company
        </Button>
      </Form>
    </>
  );
}
