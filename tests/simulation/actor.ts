import { HOUR, SECOND } from "../support/api-in-process/scheduler";
import type { Answer } from "../support/api-in-process/stripe-objects";
import type { Deeds } from "./deeds";
import { type Random, randomOf } from "./random";
import type { Reply, World } from "./world";

const isDone = ({ status }: Answer) => status === 200 || status === 404;

/** Somebody in a history, whose decisions depend on the seed and on their name. */
export class Actor {
  readonly random: Random;

  constructor(
    readonly world: World,
    readonly deeds: Deeds,
    readonly name: string,
  ) {
    this.random = randomOf(world.history.seed, name);
  }

  pause(most: number): Promise<void> {
    return this.world.scheduler.sleep(this.random.between(0, most));
  }

  /** Tries until an answer passes `isDecided`. Long after the last fault, one has to within eight tries. */
  async insist(name: string, send: (name: string) => Promise<Reply>, isDecided = isDone, tries = 400): Promise<Reply> {
    let reply: Reply;
    let inQuiet = 0;
    for (let attempt = 1; attempt <= tries && inQuiet < 8; attempt += 1) {
      reply = await send(`${name} try ${attempt}`);
      if (reply && isDecided(reply)) return reply;
      if (this.world.isQuietFor(HOUR)) inQuiet += 1;
      await this.pause(attempt < 5 ? 4 * SECOND : HOUR / 4);
    }
    if (inQuiet === 8) this.world.violate(`${name} still gets ${reply?.status} although nothing fails any more`);
    return reply;
  }
}
