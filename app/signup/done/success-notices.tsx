import { useEffect, useState } from "react";
import { CARD_SUCCESSFUL, SUBSCRIPTION_SUCCESSFUL } from "../later-notices";
import { SignupNotice } from "../signup-notice";

/** Long enough to read the first notice before the second one is announced. */
const SECOND_AFTER_MS = 2_500;

/** One after the other; without a script both at once, in this order. */
export function SuccessNotices() {
  const [both, setBoth] = useState(true);
  useEffect(() => {
    setBoth(false);
    const timer = setTimeout(() => setBoth(true), SECOND_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <SignupNotice notice={CARD_SUCCESSFUL} />
      {both && <SignupNotice notice={SUBSCRIPTION_SUCCESSFUL} />}
    </>
  );
}
