/** The pages without a form, and one that does not exist. */
export const PUBLIC_PAGES = ["/", "/pricing", "/privacy", "/terms", "/security", "/nothing-here"];
