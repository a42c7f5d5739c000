import type { ComponentChildren } from 'preact';
import { shownText, UndeclaredText } from '../definition.js';

/** Renders text, with undeclared references marked; a phone shows nothing in their place. */
export function renderText(value: unknown): ComponentChildren {
  if (!(value instanceof UndeclaredText)) return shownText(value);
  return value.parts.map((part, i) =>
    typeof part === 'string' ? (
      part
    ) : (
      <code key={i} class="undeclared" dir="ltr" title="Not declared in the flow">
        <span class="unseen">Not declared: </span>
        {part.reference}
      </code>
    ),
  );
}
