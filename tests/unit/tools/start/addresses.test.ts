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
