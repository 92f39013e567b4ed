/** Answers a request. */
export type Handler<Context> = (request: Request, context: Context) => Response | Promise<Response>;

/** A stage of the pipeline: answers by itself, or hands the request on and may change the answer that comes back. */
export type Middleware<Context> = (
  request: Request,
  context: Context,
  next: Handler<Context>,
) => Response | Promise<Response>;

/** Puts stages together, the outermost first; `handler` answers what all of them have handed on. */
export function compose<Context>(stages: Middleware<Context>[], handler: Handler<Context>): Handler<Context> {
  return stages.reduceRight<Handler<Context>>(
    (next, stage) => (request, context) => stage(request, context, next),
    handler,
  );
}
