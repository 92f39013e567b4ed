import { type ComponentType, useEffect, useState } from "react";
import { PAYMENT_FORM_NOT_LOADED } from "../notices";
import { CardPlaceholder } from "./card-placeholder";
import { loadStripeElements, loadStripeElementsAgain } from "./card-script";
import type { CardFieldsProps } from "./payment-form";

export function CardFields(props: CardFieldsProps) {
  const [Fields, setFields] = useState<ComponentType<CardFieldsProps>>();
  const [hasFailed, setFailed] = useState(false);
  const { onNotice } = props;

  function show(loading: ReturnType<typeof loadStripeElements>) {
    const fail = () => {
      setFailed(true);
      onNotice(PAYMENT_FORM_NOT_LOADED);
    };
    loading.then((loaded) => setFields(() => loaded.default), fail);
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: once; the button tries again
  useEffect(() => show(loadStripeElements()), []);

  function tryAgain() {
    onNotice(undefined);
    setFailed(false);
    show(loadStripeElementsAgain());
  }

  if (Fields) return <Fields {...props} />;
  return <CardPlaceholder onTryAgain={hasFailed ? tryAgain : undefined} />;
}
