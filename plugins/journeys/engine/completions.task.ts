import { definitionCompletionsAt } from './editing/complete-definition.js';
import type { Completions } from './editing/options.js';
import { type WithModules, withModules } from './language.js';
import { completionsAt } from './notebook/completion.js';

/** A notebook, or a definition as JSON text. */
export type CompletionsInput = ({ readonly notebook: string } | { readonly json: string }) & {
  readonly offset: number;
  readonly contactFields: readonly string[];
};

/** Completes the text of a journey. Off the main thread, because it reads the whole text. */
export default function completionsTask(input: CompletionsInput & WithModules): Completions | Promise<Completions> {
  return withModules(input, () =>
    'notebook' in input ? completionsAt(input.notebook, input.offset, input) : definitionCompletionsAt(input.json, input.offset, input),
  );
}
