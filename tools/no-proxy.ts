/** This machine, as `NO_PROXY` names hosts: undici compares them with a URL's host, brackets included, and Node without. */
const THIS_MACHINE = ["localhost", "127.0.0.1", "[::1]", "::1"];

/** Node (with NODE_USE_ENV_PROXY), undici, Wrangler and child processes read both spellings of NO_PROXY. */
export function askThisMachineDirectly(environment: NodeJS.ProcessEnv): void {
  const known = environment.no_proxy ?? environment.NO_PROXY ?? "";
  if (known === "*") return;
  const others = known.split(/[,\s]+/).filter((host) => host !== "" && !THIS_MACHINE.includes(host));
  environment.NO_PROXY = [...others, ...THIS_MACHINE].join(",");
  environment.no_proxy = environment.NO_PROXY;
}
