import { company } from "../../company";

export function Logo() {
  return (
    <span className="inline-flex items-center gap-2.5">
      <LogoMark />
      <span className="font-display text-xl font-bold">{company.name}</span>
    </span>
  );
}

function LogoMark() {
  return (
    <svg width="32" height="32" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" className="fill-brand" />
      <path d="M11 8H7v16h4M21 8h4v16h-4" className="fill-none stroke-on-brand" strokeWidth="2.5" />
      <rect x="11.5" y="13.5" width="9" height="5" rx="1" className="fill-accent" />
    </svg>
  );
}
