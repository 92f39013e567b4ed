import { HOUR, SECOND } from "../support/api-in-process/scheduler";
import { Actor } from "./actor";
import { insist } from "./insist";

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
      await world.scheduler.sleep(random.between(0, random.chance(0.5) ? 20 * SECOND : 20 * HOUR));
      if (kind === "verify-email") deeds.pressed.add(signUpId);
      else if (!deeds.reportedNotMe.has(signUpId)) deeds.reportedNotMe.set(signUpId, world.now);
      const reply = await insist(this, `${key} ${kind}`, (name) => world.request(name, path, { method: "POST" }));
      if (reply?.status === 200) signUpIds.push(signUpId);
    };
    if (random.chance(0.3)) await press("verify-email", deeds.verified);
    if (random.chance(0.1)) await press("not-me", deeds.closed);
  }
}
