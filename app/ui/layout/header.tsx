import { useLocation } from "@remix-run/react";
import { company } from "../../company";
import { ButtonLink } from "../controls/button";
import { MenuIcon } from "../controls/icons";
import { useSite } from "../use-site";
import { Logo } from "./logo";

const MENU_ID = "site-menu";

const SCROLLED_PX = 10;

/** Turns the header white once scrolled. It waits for a scroll event, because reading scrollY forces a layout. */
export const SCROLL_STATE = `(mark=>{mark(false);addEventListener("scroll",()=>mark(scrollY>${SCROLLED_PX}),{passive:true})})(is=>document.documentElement.dataset.scrolled=is)`;

const pages = [
  { href: "/", label: "Home" },
  { href: "/pricing", label: "Pricing" },
];

export function SkipLink() {
  return (
    <a href="#main" className="skip-link btn btn-primary btn-md">
      Skip to content
    </a>
  );
}

/** The links are a row on wide screens and a popover on small ones, or a list in browsers without popovers (`.site-menu`). */
export function Header() {
  const { consoleUrl } = useSite();
  const { pathname } = useLocation();
  return (
    <header className="site-header">
      <div className="wrap flex min-h-18 flex-wrap items-center justify-between gap-x-4">
        <a href="/" aria-label={`${company.name}, home`} className="flex rounded-md py-1">
          <Logo />
        </a>{" "}
        <button
          type="button"
          {...{ popovertarget: MENU_ID }} // React 18 has no types for popovers
          className="menu-button btn btn-secondary btn-sm"
          hidden // the stylesheet shows it where popovers are known
        >
          <MenuIcon />
          Menu
        </button>
        <nav id={MENU_ID} aria-label="Main" className="site-menu" {...{ popover: "auto" }}>
          <ul>
            {pages.map(({ href, label }) => (
              <li key={href}>
                <a href={href} className="nav-link" aria-current={pathname === href ? "page" : undefined}>
                  {label}
                </a>
              </li>
            ))}
            <li>
              <ButtonLink href={consoleUrl} size="sm" variant="secondary" className="w-full">
                Customer Console
              </ButtonLink>
            </li>
            {!pathname.startsWith("/subscription") && (
              <li>
                <ButtonLink href="/pricing#plans" size="sm" className="w-full">
                  Start free trial
                </ButtonLink>
              </li>
            )}
          </ul>
        </nav>
      </div>
    </header>
  );
}
