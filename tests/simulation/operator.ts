import { HOUR, SECOND } from "../support/api-in-process/scheduler";
import { SETTINGS } from "../support/api-in-process/settings";
import type { Answer } from "../support/api-in-process/stripe-objects";
import { Actor } from "./actor";
import type { Reply } from "./world";

const HEADERS = { authorization: `Bearer ${SETTINGS.OPERATOR_TOKEN}`, "content-type": "application/json" };

/** Somebody at the company, who has the operator's token. */
export class Operator extends Actor {
  /** Changes the prices, step by step. */
  async changePrices(): Promise<void> {
    const isSet = ({ status }: Answer) => status === 200;
    await this.world.prices.change((name, body) => {
      const init = { method: "POST", headers: HEADERS, body: JSON.stringify(body) };
      return this.insist(name, (attempt) => this.world.request(attempt, "/operator/catalog", init), isSet);
    });
  }

  /** Exports and erases a person's data, at once or a day or two later. */
  async exportAndErase(email: string): Promise<void> {
    await this.pause(this.random.chance(0.5) ? 60 * SECOND : 50 * HOUR);
    await this.#ask("exports", "/operator/export", email);
    await this.erase(email);
  }

  async erase(email: string): Promise<void> {
    // The request was sent before it reads the database.
    const at = this.world.now;
    const reply = await this.#ask("erases", "/operator/erase", email);
    if (reply?.status === 200) this.deeds.erased.push({ email, at });
  }

  #ask(work: string, path: string, email: string): Promise<Reply> {
    const init = { method: "POST", headers: HEADERS, body: JSON.stringify({ email }) };
    return this.insist(`${this.name} ${work}`, (name) => this.world.request(name, path, init));
  }
}
