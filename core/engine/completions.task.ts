import { type Completions, completionsAt } from './notebook/completion.js';

export interface CompletionsInput {
  readonly notebook: string;
  readonly offset: number;
  readonly contactFields: readonly string[];
}

/** Completes a notebook. Off the main thread, because it reads the whole text. */
export default function completionsTask({ notebook, offset, contactFields }: CompletionsInput): Completions {
  return completionsAt(notebook, offset, { contactFields });
}
