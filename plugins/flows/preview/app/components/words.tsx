import type { ComponentChildren } from 'preact';
import { Marked, textOf } from '../definition.js';

/** Text to be shown. References that the flow declares nowhere are marked: a phone shows nothing in their place. */
export function words(value: unknown): ComponentChildren {
  if (!(value instanceof Marked)) return textOf(value);
  return value.parts.map((part, i) =>
    typeof part === 'string' ? (
      part
    ) : (
      <code key={i} class="undeclared" dir="ltr" title="The flow does not declare this">
        <span class="unseen">Not declared: </span>
        {part.reference}
      </code>
    ),
  );
}
