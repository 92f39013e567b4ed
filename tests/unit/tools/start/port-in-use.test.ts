import { expect, test } from "vitest";
import { messageOf } from "../../../../tools/failures";
import { portProblem } from "../../../../tools/start/port-in-use";

/* Why npm start cannot listen on a port. The process that uses it is found in proxy.test.ts. */

const errorWith = (code: string) => Object.assign(new Error("listen"), { code, syscall: "listen" });
/** Nothing listens on it, as on a port of a process that this user may not see. */
const UNSEEN = 0;

test.each([
  {
    what: "that another user's program uses",
    port: UNSEEN,
    code: "EADDRINUSE",
    says: `Port ${UNSEEN} is in use: stop the program that uses it, or choose another port, such as PORT=9000 npm start.`,
  },
  {
    what: "for administrators",
    port: 80,
    code: "EACCES",
    says: "This user may not listen on port 80: choose one above 1023, such as PORT=9000 npm start.",
  },
  { what: "three before the proposed one", port: 8_997, code: "EACCES", says: /such as PORT=9100 npm start\.$/ },
  { what: "three after the proposed one", port: 9_003, code: "EACCES", says: /such as PORT=9100 npm start\.$/ },
  { what: "four after the proposed one", port: 9_004, code: "EACCES", says: /such as PORT=9000 npm start\.$/ },
])("a port $what ($port, $code) is reported in one sentence", async ({ port, code, says }) => {
  expect(messageOf(await portProblem(port, errorWith(code)))).toMatch(says);
});

test("another error is not explained", async () => {
  const error = errorWith("ENOTFOUND");
  expect(await portProblem(9_000, error)).toBe(error);
});
