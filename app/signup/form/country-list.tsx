import { createContext, useContext, useEffect, useRef } from "react";

/** Empty in the browser, which keeps the server's HTML, so that the page's scripts need no names. */
const CountryOptionsContext = createContext<() => string>(() => "");

export const CountryOptionsProvider = CountryOptionsContext.Provider;

export function CountryList({ id }: { id: string }) {
  const options = useContext(CountryOptionsContext);
  const list = useRef<HTMLDataListElement>(null);
  useEffect(() => {
    if (list.current?.childElementCount === 0) void fill(list);
  }, []);
  return (
    <datalist
      id={id}
      ref={list}
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: when hydrating, React keeps inner HTML but not children
      dangerouslySetInnerHTML={{ __html: options() }}
    />
  );
}

/** For a form rendered in the browser, for example after the card step. */
async function fill(list: { current: HTMLDataListElement | null }): Promise<void> {
  // Without the list, any country can still be typed.
  const loaded = await import("./country-options").catch(() => undefined);
  if (loaded && list.current) list.current.innerHTML = loaded.countryOptions();
}
