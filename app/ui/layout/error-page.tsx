import { ButtonLink } from "../controls/button";

/** The heading and title of the page for an error that nobody expected. */
export const UNEXPECTED_ERROR = "Unexpected Application Error";

interface ErrorPageProps {
  title?: string;
  message?: string;
  requestId?: string | undefined;
  /** URL of a page that may work now. */
  tryAgain?: string;
}

/** Never shows the error itself. */
export function ErrorPage({ title = UNEXPECTED_ERROR, message, requestId, tryAgain }: ErrorPageProps) {
  return (
    <section className="wrap grid min-h-[60vh] content-center py-20">
      <h1 className="text-title">{title}</h1>
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
