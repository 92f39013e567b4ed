import { expect, test } from "vitest";
import { networkKeyOf, rateLimitKeyOf } from "../../../app/shared/limits/rate-limit-key";

test.each([
  ["192.0.2.100", "192.0.2.100"],
  ["::ffff:192.0.2.100", "192.0.2.100"],
  ["::ffff:c000:264", "192.0.2.100"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2:ffff::", "2001:db8:1:2::/64"],
  ["2001::4:5:6:7:8", "2001:0:0:4::/64"],
  ["2001:db8::1:2:3:4", "2001:db8:0:0::/64"],
  ["2001:db8::2:3:4:5:6", "2001:db8:0:2::/64"],
  ["1::ffff:c000:264", "1:0:0:0::/64"],
  ["::ffff:0:c000:264", "0:0:0:0::/64"],
  ["::ffff:1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["x".repeat(45), "x".repeat(45)],
  ["x".repeat(46), "x".repeat(45)],
  [null, "unknown"],
])("the rate limit key of %s is %s [F1]", (ip, sender) => {
  expect(rateLimitKeyOf(ip)).toBe(sender);
});

test.each([
  ["192.0.2.1", "192.0.2.0/24"],
  ["203.113.100.200", "203.113.100.0/24"],
  ["x192.0.2.1", "x192.0.2.1"],
  ["192.0.2.1x", "192.0.2.1x"],
  ["::ffff:192.0.2.1", "192.0.2.0/24"],
  ["2001:db8:7:1:2::3", "2001:db8:7::/48"],
  ["2001:db8:7:ffff::", "2001:db8:7::/48"],
  ["2001:db8::1", "2001:db8:0::/48"],
  ["::1", "0:0:0::/48"],
  ["no address", "no address"],
  [null, "unknown"],
])("the network of %s is %s [H20]", (ip, network) => {
  expect(networkKeyOf(rateLimitKeyOf(ip))).toBe(network);
});
