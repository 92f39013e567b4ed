import { company } from "../../company";
import { mailTo } from "../mail-to";
import { useSite } from "../use-site";
import { Logo } from "./logo";

export function Footer() {
  const { year } = useSite();
  const groups = [
    { title: "Product", links: [{ href: "/pricing", label: "Pricing" }] },
    {
      title: "Contact",
      links: [
        { href: mailTo(company.salesEmail), label: "Contact Sales" },
        { href: mailTo(company.supportEmail), label: "Contact Support" },
      ],
    },
    {
      title: "Legal",
      links: [
        { href: "/privacy", label: "Privacy Policy" },
        { href: "/terms", label: "Terms & Conditions" },
        { href: "/security", label: "Security" },
      ],
    },
  ];
  return (
    <footer className="border-t border-line bg-sunken print:hidden">
      <div className="wrap grid gap-10 py-14 lg:grid-cols-[1fr_1.5fr]">
        <div>
          <Logo />
          <p className="mt-3 text-muted">{company.tagline}.</p>
        </div>
        <div className="flex flex-wrap justify-between gap-8 whitespace-nowrap">
          {groups.map(({ title, links }) => (
            <nav key={title} aria-label={title}>
              <p className="label">{title}</p>
              <ul className="mt-3">
                {links.map(({ href, label }) => (
                  <li key={label}>
                    <a href={href} className="quiet-link">
                      {label}
                    </a>
                    {href.startsWith("mailto:") && <p>{href.slice(7)}</p>}
                  </li>
                ))}
              </ul>
            </nav>
          ))}
        </div>
        <p className="text-sm text-muted lg:col-span-2">{`© ${year} ${company.legalName} All rights reserved.`}</p>
      </div>
    </footer>
  );
}
