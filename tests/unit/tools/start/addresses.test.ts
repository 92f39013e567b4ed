import { expect, test } from "vitest";
import { hostOf, portOf } from "../../../../tools/start/addresses";

test.each(["1e3", "0x2328", "80.5", " 9000", "0", "65533", "-1", "abc"])("PORT=%s is refused", (PORT) => {
  expect(() => portOf({ PORT })).toThrow(`PORT is ${PORT}: set it to a number from 1 to 65532, such as 9000.`);
});

test.each([
  { PORT: undefined, port: 8787 },
  { PORT: "", port: 8787 },
  { PORT: "9000", port: 9000 },
  { PORT: "65532", port: 65_532 },
])("PORT=$PORT means port $port", ({ PORT, port }) => {
  expect(portOf({ PORT })).toBe(port);
});

test.each(["a b", "http://acme.com"])("HOST=%s is refused", (HOST) => {
  expect(() => hostOf({ HOST })).toThrow(`HOST is ${HOST}: set it to 0.0.0.0`);
});

const address = (family: "IPv4" | "IPv6", value: string, internal = false) => ({
  ...{ address: value, netmask: "", mac: "", internal, cidr: null },
  ...(family === "IPv4" ? { family } : { family, scopeid: 0 }),
});
const LOOPBACK = address("IPv4", "127.0.0.1", true);
const IPV6 = address("IPv6", "fd00::7");
const [WIRE, RADIO] = [address("IPv4", "192.168.0.7"), address("IPv4", "10.0.0.7")];

test.each([
  { interfaces: { lo: [LOOPBACK], wire: [IPV6, WIRE] }, name: "192.168.0.7" },
  { interfaces: { wire: [IPV6, WIRE], radio: [RADIO], lo: [LOOPBACK] }, name: "192.168.0.7" },
  { interfaces: { radio: [RADIO], lo: [LOOPBACK], wire: [WIRE] }, name: "10.0.0.7" },
  { interfaces: { lo: [LOOPBACK], wire: [IPV6] }, name: "localhost" },
])("HOST=0.0.0.0 shows the first IPv4 address that other devices can reach: $name", ({ interfaces, name }) => {
  expect(hostOf({ HOST: "0.0.0.0" }, interfaces)).toEqual({ ip: "0.0.0.0", name });
  expect(hostOf({ HOST: "::" }, interfaces)).toEqual({ ip: "::", name });
});
