export type Handler<Context> = (request: Request, context: Context) => Response | Promise<Response>;

export type Middleware<Context> = (
  request: Request,
  context: Context,
  next: Handler<Context>,
) => Response | Promise<Response>;

/** Chains middleware around a handler, the outermost first. */
export function compose<Context>(middleware: Middleware<Context>[], handler: Handler<Context>): Handler<Context> {
  return middleware.reduceRight<Handler<Context>>(
    (next, current) => (request, context) => current(request, context, next),
    handler,
  );
}
