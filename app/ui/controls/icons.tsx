interface IconProps {
  className?: string;
}

/** Icons repeat the text beside them, so they are hidden from assistive technology. */
function Icon({ path, pale, className = "" }: IconProps & { path: string; pale?: string }) {
  return (
    <svg
      width="20"
      height="20"
      viewBox="0 0 20 20"
      className={`shrink-0 ${className}`.trim()}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {pale && <path d={pale} opacity=".3" />}
      <path d={path} />
    </svg>
  );
}

export const ArrowRightIcon = (props: IconProps) => <Icon {...props} path="M4 10h12m-5-5 5 5-5 5" />;

export const ExternalIcon = (props: IconProps) => <Icon {...props} path="M6 14 14 6M7 6h7v7" />;

export const CheckIcon = (props: IconProps) => <Icon {...props} path="m4.5 10.5 3.5 3.5 7.5-8" />;

export const CrossIcon = (props: IconProps) => <Icon {...props} path="m6 6 8 8m0-8-8 8" />;

export const MenuIcon = (props: IconProps) => <Icon {...props} path="M3 6h14M3 10h14M3 14h14" />;

export const PlusIcon = (props: IconProps) => <Icon {...props} path="M10 4v12M4 10h12" />;

export const MailIcon = (props: IconProps) => <Icon {...props} path="M3 5.5h14v9H3zM3 6l7 5 7-5" />;

export const LockIcon = (props: IconProps) => <Icon {...props} path="M4.5 9h11v8h-11zM7 9V6.5a3 3 0 0 1 6 0V9" />;

export const SpinnerIcon = (props: IconProps) => (
  <Icon {...props} path="M10 3a7 7 0 0 1 7 7" pale="M10 3a7 7 0 1 0 7 7" />
);
