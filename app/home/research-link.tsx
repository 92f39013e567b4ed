import { ExternalIcon } from "../ui/controls/icons";
import { research } from "./home-content";

export function ResearchLink({ details = "" }: { details?: string }) {
  const words = `Source: ${research.firm}${details}`.split(" ");
  const last = words.pop();
  return (
    <a href={research.url} className="inline-block py-1 font-bold text-accent underline">
      {`${words.join(" ")} `}
      <span className="whitespace-nowrap">
        {last} <ExternalIcon className="inline size-4" />
      </span>
    </a>
  );
}
