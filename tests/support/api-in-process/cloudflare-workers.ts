/** Stands in for `cloudflare:workers`. */
export class WorkerEntrypoint {
  constructor(
    protected readonly ctx: unknown,
    protected readonly env: unknown,
  ) {}
}
