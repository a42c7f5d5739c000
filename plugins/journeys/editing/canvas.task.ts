import { type WithModules, withModules } from '../engine/language.js';
import { type CanvasEdit, changed, editNotebook } from '../engine/notebook/canvas/edit.js';
import type { CanvasAction } from '../engine/notebook/canvas/editing.js';
import { type CardParts, partsOf } from '../engine/notebook/canvas/parts.js';

export interface CanvasInput {
  readonly notebook: string;
  readonly card: string;
  readonly action?: CanvasAction | undefined;
}

/** The edit, if an action is given, and the parts of the card after it; null if the text has errors or no such card. */
export interface CanvasAnswer {
  readonly card: CardParts | null;
  readonly edit?: CanvasEdit;
}

/** Reads and edits a card of a notebook. Off the main thread, because reading takes time. */
export default function canvasTask(input: CanvasInput & WithModules): CanvasAnswer | Promise<CanvasAnswer> {
  const { notebook, card, action } = input;
  return withModules(input, () => {
    const edit = action && editNotebook(notebook, action);
    const after = edit && 'changes' in edit ? changed(notebook, edit.changes) : notebook;
    const shown = action?.kind === 'rename_card' && after !== notebook ? action.to : card;
    return { card: partsOf(after, shown) ?? null, ...(edit && { edit }) };
  });
}
