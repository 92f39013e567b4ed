const THRESHOLD_PX = 10;

/** Inline on every page, allowed by its hash. Waits for a scroll, because reading scrollY forces a layout. */
export const scrollStateScript = `addEventListener("scroll",()=>document.documentElement.toggleAttribute("data-scrolled",scrollY>${THRESHOLD_PX}),{passive:true})`;
