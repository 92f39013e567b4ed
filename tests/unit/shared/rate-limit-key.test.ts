import { expect, test } from "vitest";
import { networkKeyOf, rateLimitKeyOf } from "../../../app/shared/http/rate-limit-key";

test.each([
  { address: "192.0.2.100", key: "192.0.2.100", network: "192.0.2.0/24" },
  { address: "::ffff:192.0.2.100", key: "192.0.2.100", network: "192.0.2.0/24" },
  { address: "2001:DB8:1:2:3:4:5:6", key: "2001:db8:1:2::/64", network: "2001:db8:1::/48" },
  { address: "2001::4:5:6:7:8", key: "2001:0:0:4::/64", network: "2001:0:0::/48" },
  { address: "::ffff:0:c000:264", key: "0:0:0:0::/64", network: "0:0:0::/48" },
  { address: "x".repeat(46), key: "x".repeat(45), network: "x".repeat(45) },
  { address: null, key: "unknown", network: "unknown" },
])("the address $address is limited by the key $key, its network by $network", (row) => {
  expect(rateLimitKeyOf(row.address)).toBe(row.key);
  expect(networkKeyOf(row.key)).toBe(row.network);
});
