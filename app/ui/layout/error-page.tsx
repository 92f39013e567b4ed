import { ButtonLink } from "../controls/button";

/** Never shows the error itself. */
export function ErrorPage({ title, message, requestId }: { title: string; message?: string; requestId?: string }) {
  return (
    <section className="wrap grid min-h-[60vh] content-center py-20">
      <h1 className="text-title">{title}</h1>
      <p className="mt-5 max-w-xl text-lg text-muted">
        {message ??
          "Something went wrong on our side. Please try again. If it happens again, contact support and include the request ID."}
      </p>
      {requestId && (
        <p className="mt-3 text-muted">
          Request ID: <code>{requestId}</code>
        </p>
      )}
      <ButtonLink href="/" size="lg" className="mt-8 w-fit">
        Return to Home
      </ButtonLink>
    </section>
  );
}
