/** Specification, section 9: the header turns white and translucent past this many pixels. */
const THRESHOLD_PX = 10;

/**
 * Marks the document as scrolled for the header's style. Runs inline on every page, under its hash in the policy. A page
 * begins at its top; where a browser goes to another place by itself it says so as a scroll. Asking for the place at once
 * would have the page laid out before it is there.
 */
export const scrollStateScript = `addEventListener("scroll",()=>document.documentElement.toggleAttribute("data-scrolled",scrollY>${THRESHOLD_PX}),{passive:true})`;
