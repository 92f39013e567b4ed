import { isIP, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { isLoopbackHost } from "../../app/shared/settings";
import { WORKERS, type WorkerName, workerNames } from "../build";
import { ToolError } from "../failures";

const LOCAL_URL = /^http:\/\/localhost:(\d+)(?=\/|$)/;

export type Ports = Record<WorkerName, number>;

/** PORT is the site's; the API and the simulator have the two ports after it. */
export function portsOf({ PORT }: NodeJS.ProcessEnv): Ports {
  const site = PORT === undefined || PORT === "" ? WORKERS.site.port : Number(PORT);
  if (!Number.isInteger(site) || site < 1 || site > 65_533) {
    throw new ToolError(`PORT is ${PORT}: set it to a number from 1 to 65533. The two ports after it are used too.`);
  }
  return { site, "subscription-api": site + 1, "stripe-simulator": site + 2 };
}

/** Moves the URLs of local Workers to the ports. */
export function onPorts<Value>(vars: Record<string, Value>, ports: Ports): Record<string, Value | string> {
  const moved = (url: string, port: string) => {
    const name = workerNames.find((one) => String(WORKERS[one].port) === port);
    return name ? `http://localhost:${ports[name]}` : url;
  };
  return Object.fromEntries(
    Object.entries(vars).map(([name, value]) => [
      name,
      typeof value === "string" ? value.replace(LOCAL_URL, moved) : value,
    ]),
  );
}

/** `name`: by which other devices find this machine. */
export type Host = { ip: string; name: string };

/** HOST=0.0.0.0, or this machine's name, serves other devices too. Undefined if only this machine is served. */
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
