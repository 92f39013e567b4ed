import { Button } from "../../ui/controls/button";
import { LockIcon } from "../../ui/controls/icons";

export function PayButton({ busy = false, disabled }: { busy?: boolean; disabled: boolean }) {
  return (
    <div className="mt-6 flex flex-wrap items-center gap-x-5 gap-y-3">
      <Button type="submit" size="lg" className="grow basis-40" busy={busy} disabled={disabled}>
        {busy ? "Processing..." : "Pay"}
      </Button>
      <p className="flex items-center gap-2 text-sm text-muted">
        <LockIcon className="size-4" />
        Card details go straight to Stripe
      </p>
    </div>
  );
}
