import { createServer, isIP, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { isLoopbackHost } from "../../app/shared/settings";
import { ToolError } from "../failures";

/** Where wrangler.toml has the site; the API and the simulator are on the two ports after it. */
const DEFAULT_PORT = 8787;
const LOCAL_URL = /^http:\/\/localhost:(8787|8788|8789)(?=\/|$)/;

export type Ports = { site: number; "subscription-api": number; "stripe-simulator": number };

export function portsOf({ PORT }: NodeJS.ProcessEnv): Ports {
  const site = PORT === undefined || PORT === "" ? DEFAULT_PORT : Number(PORT);
  if (!Number.isInteger(site) || site < 1 || site > 65_533) {
    throw new ToolError(`PORT is ${PORT}: set it to a number from 1 to 65533. The two ports after it are used too.`);
  }
  return { site, "subscription-api": site + 1, "stripe-simulator": site + 2 };
}

/** `name`: by which other devices find this machine. */
export type Host = { ip: string; name: string };

/** Undefined where this machine alone is served. */
export function hostOf({ HOST = "" }: NodeJS.ProcessEnv, interfaces = networkInterfaces()): Host | undefined {
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

export function onPorts<Value>(vars: Record<string, Value>, { site }: Ports): Record<string, Value | string> {
  const moved = Object.entries(vars).map(([name, value]) => [
    name,
    typeof value === "string"
      ? value.replace(LOCAL_URL, (_, port) => `http://localhost:${Number(port) - DEFAULT_PORT + site}`)
      : value,
  ]);
  return Object.fromEntries(moved);
}

export async function requireFreePort(port: number, title: string): Promise<void> {
  for (const host of ["127.0.0.1", "::1"]) {
    const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      const server = createServer().once("error", resolve);
      server.listen(port, host, () => server.close(() => resolve(undefined)));
    });
    if (error?.code === "EACCES") throw new ToolError(`Port ${port} needs an administrator: choose a PORT above 1023.`);
    if (error?.code !== "EADDRINUSE") continue;
    throw new ToolError(
      `Port ${port}, where the ${title} runs, is in use: stop what listens there, or choose another, such as PORT=9000 npm start.`,
    );
  }
}

/** Of `npm run dev`: 9787 for the site (.vscode/launch.json). */
export function inspectorPort(port: number): number {
  return port + 1000;
}
