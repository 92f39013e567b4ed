import { ExternalIcon } from "../ui/controls/icons";
import { useSite } from "../ui/use-site";
import { research } from "./home-content";

/** Names the research firm and links to its press release. */
export function ResearchLink({ details = "" }: { details?: string }) {
  const { researchUrl } = useSite();
  return (
    <a href={researchUrl} className="inline-flex items-center gap-1.5 font-bold text-accent underline">
      Source: {research.firm}
      {details}
      <ExternalIcon className="size-4" />
    </a>
  );
}
