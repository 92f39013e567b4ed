/** docs/requirements.md, R6. */
const THRESHOLD_PX = 10;

/** Inline on every page, allowed by its hash. Reading scrollY at once would force a layout before the first paint. */
export const scrollStateScript = `addEventListener("scroll",()=>document.documentElement.toggleAttribute("data-scrolled",scrollY>${THRESHOLD_PX}),{passive:true})`;
