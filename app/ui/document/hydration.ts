/** True if a route's handle asks for the framework's JavaScript. */
export function hydrates(handle: unknown): boolean {
  return typeof handle === "object" && handle !== null && "hydrate" in handle && handle.hydrate === true;
}
