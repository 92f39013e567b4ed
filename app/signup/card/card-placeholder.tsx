import { Button } from "../../ui/controls/button";

export function CardPlaceholder() {
  return (
    <div className="needs-script mt-6">
      <div className="h-56 animate-pulse rounded-md bg-sunken motion-reduce:animate-none" />
      <Button size="lg" className="mt-6 w-full" disabled>
        Pay
      </Button>
    </div>
  );
}
