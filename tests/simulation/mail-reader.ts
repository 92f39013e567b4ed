import { HOUR, SECOND } from "../support/api-in-process/scheduler";
import { Actor } from "./actor";

/** Whoever reads an email of the API, and the scanner of its mail server, which opens each link. */
export class MailReader extends Actor {
  /** The reader may confirm the email address, and may report that they did not sign up. */
  async read(text: string): Promise<void> {
    const { deeds, name: key, random, world } = this;
    const [row] = world.loaded.database.run("SELECT sign_up_id FROM outbox WHERE key = ?", [key]).results;
    const signUpId = String(row?.sign_up_id);
    const links = text.match(/\/links\/[\w-]+\/[\w.-]+/g) ?? [];
    if (random.chance(0.5)) for (const link of links) void world.request(`${key} scanner ${link}`, link, {});
    const press = async (kind: string, signUpIds: string[]) => {
      const path = links.find((link) => link.startsWith(`/links/${kind}/`));
      if (path === undefined) return;
      await this.pause(random.chance(0.5) ? 20 * SECOND : 20 * HOUR);
      if (kind === "not-me") this.#report(signUpId);
      const reply = await this.insist(`${key} ${kind}`, (name) => world.request(name, path, { method: "POST" }));
      if (kind === "not-me") this.#report(signUpId);
      if (reply?.status === 200) signUpIds.push(signUpId);
    };
    if (random.chance(0.3)) await press("verify-email", deeds.verified);
    if (random.chance(0.1)) await press("not-me", deeds.closed);
  }

  /** "This wasn't me" also ends what else has the address by then, if nobody has confirmed it. */
  #report(signUpId: string): void {
    const { deeds, world } = this;
    const ofAddress = "SELECT id FROM sign_ups WHERE email = (SELECT email FROM sign_ups WHERE id = ?)";
    const rows = world.loaded.database.run(ofAddress, [signUpId]).results;
    for (const id of [signUpId, ...rows.map((one) => String(one.id))])
      if (!deeds.reportedNotMe.has(id)) deeds.reportedNotMe.set(id, world.now);
  }
}
