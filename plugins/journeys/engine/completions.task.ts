import { definitionCompletionsAt } from './editing/complete-definition.js';
import type { Completions } from './editing/options.js';
import { completionsAt } from './notebook/completion.js';

/** A notebook, or a definition as JSON text. */
export type CompletionsInput = ({ readonly notebook: string } | { readonly json: string }) & {
  readonly offset: number;
  readonly contactFields: readonly string[];
};

/** Completes the text of a journey. Off the main thread, because it reads the whole text. */
export default function completionsTask({ offset, contactFields, ...text }: CompletionsInput): Completions {
  return 'notebook' in text
    ? completionsAt(text.notebook, offset, { contactFields })
    : definitionCompletionsAt(text.json, offset, { contactFields });
}
