import type { Deeds } from "./deeds";
import { type Random, randomOf } from "./random";
import type { World } from "./world";

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
}
