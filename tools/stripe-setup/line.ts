/** `ok`: correct; `changed`: corrected; `differs`: wrong; `failed`: could not be corrected; `untested`. */
export type Line = { mark: "ok" | "changed" | "differs" | "failed" | "untested"; text: string };

/** A difference from the wanted setup. `fix` corrects it and reports that; without `fix` a person has to. */
export type Difference = { what: string; fix?: () => Promise<string> };

export type State = { ok: string; differences: Difference[] };
