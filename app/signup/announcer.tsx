import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from "react";
import { FocusKeeper } from "../ui/controls/lent-focus";
import type { Notice } from "./notices";

const Say = createContext<(text: string) => void>(() => {});

/** One text, because Chromium reorders a notice's parts, and always there, because Firefox skips a new live region. */
export function Announcer({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState({ text: "", times: 0 });
  const say = useCallback((text: string) => setSaid(({ times }) => ({ text, times: times + 1 })), []);
  return (
    <Say.Provider value={say}>
      <FocusKeeper />
      <p role="status" className="sr-only">
        {said.text && <span key={said.times}>{said.text}</span>}
      </p>
      <div className="contents">{children}</div>
    </Say.Provider>
  );
}

export function useAnnouncement(text: string | undefined): void {
  const say = useContext(Say);
  useEffect(() => {
    if (text === undefined) return;
    say(text);
    return () => say("");
  }, [text, say]);
}

export const wordsOf = ({ title, message = "" }: Notice) => `${title} ${message}`.trim();
