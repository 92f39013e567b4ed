import { useEffect, useRef } from "react";
import { titleOf } from "../../company";
import { ButtonLink } from "../controls/button";
import { useHydrated } from "../document/use-hydrated";

export const UNEXPECTED_ERROR = "Unexpected Application Error";

interface ErrorPageProps {
  title?: string;
  message?: string;
  requestId?: string | undefined;
  tryAgain?: string;
}

/** Never shows the error itself. */
export function ErrorPage({ title = UNEXPECTED_ERROR, message, requestId, tryAgain }: ErrorPageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isNew = useRef(useHydrated());
  useEffect(() => {
    // The server's page starts at the top and has its title.
    if (!isNew.current) return;
    document.title = titleOf(title);
    heading.current?.focus({ preventScroll: true });
    scrollTo({ top: 0, behavior: "instant" });
  }, [title]);
  return (
    <section className="wrap grid min-h-[60vh] content-center py-20">
      <h1 ref={heading} tabIndex={-1} className="text-title outline-none">
        {title}
      </h1>
      <p className="mt-5 max-w-xl text-lg text-muted">
        {message ??
          `Something went wrong on our side. Please try again. If it happens again, contact support${requestId ? " and include the request ID" : ""}.`}
      </p>
      {requestId && (
        <p className="mt-3 text-muted">
          Request ID: <code>{requestId}</code>
        </p>
      )}
      <p className="mt-8 flex flex-wrap gap-4">
        {tryAgain && (
          <ButtonLink href={tryAgain} size="lg">
            Try again
          </ButtonLink>
        )}
        <ButtonLink href="/" size="lg" variant={tryAgain ? "secondary" : "primary"}>
          Return to Home
        </ButtonLink>
      </p>
    </section>
  );
}
