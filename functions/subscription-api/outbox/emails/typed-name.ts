const MAX_LENGTH = 60;
/** Includes characters that browsers treat as a dot in a host (UTS #46). */
const LINKING = /([.:\u2024\u3002\uFE52\uFF0E\uFF61])(?! |$)/gu;
/** As many digits as a local number has; detectors ignore punctuation and invisible characters between them. */
const PHONE_NUMBER = /(\p{Nd}{1,3})(?:[^\p{L}\p{Nd}]*\p{Nd}){6,}/gu;

/** A typed name, safe to quote to a stranger: short, and spaced so that no mail program turns it into a link. */
export function typedName(name: string): string {
  const characters = Array.from(name.replace(PHONE_NUMBER, "$1…").replace(LINKING, "$1 "));
  return characters.length <= MAX_LENGTH ? characters.join("") : `${characters.slice(0, MAX_LENGTH - 1).join("")}…`;
}
