/** Whether a route says in its handle that its page ships the framework's JavaScript. */
export function hydrates(handle: unknown): boolean {
  return typeof handle === "object" && handle !== null && "hydrate" in handle && handle.hydrate === true;
}
