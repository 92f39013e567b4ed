import { useEffect, useState } from "react";
import { useAnnouncement, wordsOf } from "../announcer";
import { CARD_SUCCESSFUL, NOTICES_SEEN, SUBSCRIPTION_SUCCESSFUL } from "../notices";
import { SignupNotice } from "../signup-notice";

/** Enough time to read the first notice before the second one is announced. */
const SECOND_AFTER_MS = 2_500;

/** Shows two notices one after the other, with space reserved for both; both at once where no script runs. */
export function SuccessNotices() {
  const [both, setBoth] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setBoth(true);
      // With a token in the URL, no cookie remembers that they were shown.
      if (/[?&](return|resume)=/.test(location.search))
        history.replaceState(history.state, "", `${location.href}&${NOTICES_SEEN}`);
    }, SECOND_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  useAnnouncement(wordsOf(both ? SUBSCRIPTION_SUCCESSFUL : CARD_SUCCESSFUL));
  return (
    <div className="success-notices grid gap-2 lg:grid-cols-2">
      <SignupNotice notice={CARD_SUCCESSFUL} />
      <div className={both ? "" : "invisible-with-script"}>
        <SignupNotice notice={SUBSCRIPTION_SUCCESSFUL} />
      </div>
    </div>
  );
}
