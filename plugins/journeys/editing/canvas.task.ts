import { type WithModules, withModules } from '../engine/language.js';
import { type CanvasAction, type CanvasEdit, editNotebook } from '../engine/notebook/canvas/edit.js';
import { type CardParts, partsOf } from '../engine/notebook/canvas/parts.js';

export interface CanvasInput {
  readonly notebook: string;
  readonly card: string;
  readonly action?: CanvasAction | undefined;
}

/** The parts of a card; null if the text has errors or no such card. And the edit, if an action is given. */
export interface CanvasAnswer {
  readonly card: CardParts | null;
  readonly edit?: CanvasEdit;
}

/** Reads and edits a card of a notebook. Off the main thread, because reading takes time. */
export default function canvasTask(input: CanvasInput & WithModules): CanvasAnswer | Promise<CanvasAnswer> {
  const { notebook, card, action } = input;
  return withModules(input, () => ({
    card: partsOf(notebook, card) ?? null,
    ...(action && { edit: editNotebook(notebook, action) }),
  }));
}
