import { Component, Fragment, type ReactNode } from "react";
import { SECRET_FIELDS } from "../form-schema";

/** The form when the page failed to render. */
export interface Typed {
  /** Without the passwords. */
  values: Record<string, string>;
  /** The ID of the field or button that had the focus; empty without one. */
  focused: string;
}

interface KeepTypedAfterErrorProps {
  formId: string;
  /** Renders the form. Gets the earlier form's values after an error. */
  children(typed: Typed | undefined): ReactNode;
}

/** At this error, the error page is shown. */
const MOST_ERRORS = 3;

/**
 * Renders the form again, with its values but without its passwords, if rendering throws after hydration, for example because an
 * extension has changed the page. The values stay in memory only, and a post that is under way goes on. For earlier, see
 * `keep-typed-at-hydration.ts`.
 */
export class KeepTypedAfterError extends Component<KeepTypedAfterErrorProps> {
  override state: { error?: unknown; hasFailed: boolean; errors: number; typed?: Typed | undefined } = {
    hasFailed: false,
    errors: 0,
  };
  #typed: Typed | undefined;

  static getDerivedStateFromError(error: unknown) {
    return { error, hasFailed: true };
  }

  /** Reads the form just before React removes it. */
  override getSnapshotBeforeUpdate() {
    const form = document.getElementById(this.props.formId);
    if (this.state.hasFailed && form instanceof HTMLFormElement) this.#typed = typedIn(form);
    return null;
  }

  /** React asks for it beside `getSnapshotBeforeUpdate`. */
  override componentDidUpdate() {}

  override componentDidCatch() {
    const errors = this.state.errors + 1;
    if (errors < MOST_ERRORS) this.setState({ hasFailed: false, errors, typed: this.#typed });
  }

  override render() {
    const { error, errors, hasFailed, typed } = this.state;
    if (!hasFailed) return <Fragment key={errors}>{this.props.children(typed)}</Fragment>;
    if (errors === MOST_ERRORS - 1) throw error;
    return null;
  }
}

function typedIn(form: HTMLFormElement): Typed {
  const values: Record<string, string> = {};
  for (const [name, value] of new FormData(form)) if (typeof value === "string") values[name] = value;
  for (const name of SECRET_FIELDS) delete values[name];
  return { values, focused: document.activeElement?.id ?? "" };
}
