import { HOUR, SECOND } from "../support/api-in-process/scheduler";
import { SETTINGS } from "../support/api-in-process/settings";
import { Actor } from "./actor";
import { insist } from "./insist";
import type { Reply } from "./world";

/** Somebody at the company, who has the operator's token. */
export class Operator extends Actor {
  /** Changes the prices, step by step. */
  async changePrices(): Promise<void> {
    await this.world.prices.change((name, path, init) =>
      insist(
        this,
        name,
        (attempt) => this.world.request(attempt, path, init),
        ({ status }) => status === 200,
      ),
    );
  }

  /** Exports and erases a person's data, at once or a day or two later. */
  async exportAndErase(email: string): Promise<void> {
    const most = this.random.chance(0.5) ? 60 * SECOND : 50 * HOUR;
    await this.world.scheduler.sleep(this.random.between(0, most));
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
    const headers = { authorization: `Bearer ${SETTINGS.OPERATOR_TOKEN}`, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify({ email }) };
    return insist(this, `${this.name} ${work}`, (name) => this.world.request(name, path, init));
  }
}
