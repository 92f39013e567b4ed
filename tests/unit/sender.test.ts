import { expect, test } from "vitest";
import { networkOf, senderOf } from "../../app/contract/sender";

test.each([
  ["192.0.2.1", "192.0.2.0/24"],
  ["::ffff:192.0.2.1", "192.0.2.0/24"],
  ["2001:db8:7:1:2::3", "2001:db8:7::/48"],
  ["2001:db8:7:ffff::", "2001:db8:7::/48"],
  ["2001:db8::1", "2001:db8:0::/48"],
  ["::1", "0:0:0::/48"],
  ["no address", "no address"],
  [null, "unknown"],
])("the network of %s is %s [H20]", (ip, network) => {
  expect(networkOf(senderOf(ip))).toBe(network);
});
