import { HOUR, SECOND } from "../support/api-in-process/scheduler";
import type { Answer } from "../support/api-in-process/stripe-objects";
import type { Actor } from "./actor";
import type { Reply } from "./world";

type Send = (name: string) => Promise<Reply>;
const isDone = ({ status }: Answer) => status === 200 || status === 404;

/** Tries until an answer passes `isDecided`. Long after the last fault, one has to within eight tries. */
export async function insist(
  { world, random }: Actor,
  name: string,
  send: Send,
  isDecided = isDone,
  tries = 400,
): Promise<Reply> {
  let reply: Reply;
  let inQuiet = 0;
  for (let attempt = 1; attempt <= tries && inQuiet < 8; attempt += 1) {
    reply = await send(`${name} try ${attempt}`);
    if (reply && isDecided(reply)) return reply;
    if (world.isQuietFor(HOUR)) inQuiet += 1;
    await world.scheduler.sleep(random.between(0, attempt < 5 ? 4 * SECOND : HOUR / 4));
  }
  if (inQuiet === 8) world.violate(`${name} still gets ${reply?.status} although nothing fails any more`);
  return reply;
}
