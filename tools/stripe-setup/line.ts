/** `ok`: as it should be; `changed`: made so; `differs`: it is not; `failed`: it could not be made so; `untested`. */
export type Line = { mark: "ok" | "changed" | "differs" | "failed" | "untested"; text: string };

/** What is not as it should be. `fix` makes it so and says what it did; without it a person has to. */
export type Difference = { what: string; fix?: () => Promise<string> };

export type State = { ok: string; differences: Difference[] };
