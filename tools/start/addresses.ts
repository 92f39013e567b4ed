import { isIP, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { isLoopbackHost } from "../../app/shared/settings/settings";
import { ToolError } from "../failures";

export const DEFAULT_PORT = 8787;

/** The site's port, from PORT. The API, the simulator and the debugger of `npm run dev` use the three ports after it. */
export function portOf({ PORT }: NodeJS.ProcessEnv): number {
  const port = /^\d*$/.test(PORT ?? "") ? Number(PORT || DEFAULT_PORT) : Number.NaN;
  if (port >= 1 && port <= 65_532) return port;
  throw new ToolError(
    `PORT is ${PORT}: set it to a number from 1 to 65532, such as 9000. The three ports after it are used too.`,
  );
}

/** Moves the URLs of the three local Workers to ports that start at `first`. */
export function onPorts<Value>(vars: Record<string, Value>, first = portOf(process.env)) {
  const move = (value: string) =>
    value.replace(
      /^(http:\/\/localhost:)(878[789])(?=\/|$)/,
      (_, origin: string, port: string) => `${origin}${Number(port) - DEFAULT_PORT + first}`,
    );
  return Object.fromEntries(
    Object.entries(vars).map(([name, value]) => [name, typeof value === "string" ? move(value) : value]),
  );
}

/** `name` is the host name by which other devices find this machine. */
export type Host = { ip: string; name: string };

/** The address that HOST chooses: with 0.0.0.0 or this machine's name, other devices are served too. Undefined without HOST. */
export function servedHost({ HOST = "" }: NodeJS.ProcessEnv, interfaces = networkInterfaces()): Host | undefined {
  const name = isIPv6(HOST) ? `[${HOST}]` : HOST;
  if (HOST === "" || isLoopbackHost(name)) return undefined;
  if (!isIP(HOST) && !/^[\w-]+(\.[\w-]+)*$/.test(HOST)) {
    throw new ToolError(`HOST is ${HOST}: set it to 0.0.0.0, or to this machine's name or IP address.`);
  }
  const ip = isIPv6(HOST) ? "::" : "0.0.0.0";
  if (HOST !== "0.0.0.0" && HOST !== "::") return { ip, name };
  const addresses = Object.values(interfaces).flatMap((those = []) => those);
  const own = addresses.find(({ family, internal }) => family === "IPv4" && !internal);
  return { ip, name: own?.address ?? "localhost" };
}
