import type { ComponentChildren } from 'preact';
import { shownText, UndeclaredText } from '../definition.js';
import { texts } from '../texts.js';

/** Renders text, with undeclared references marked; a phone shows nothing in their place. */
export function renderText(value: unknown): ComponentChildren {
  if (!(value instanceof UndeclaredText)) return shownText(value);
  return value.parts.map((part, i) =>
    typeof part === 'string' ? (
      part
    ) : (
      <code key={i} class="undeclared" dir="ltr" title={texts.notDeclaredInTheFlow}>
        <span class="unseen">{texts.notDeclared} </span>
        {part.reference}
      </code>
    ),
  );
}
