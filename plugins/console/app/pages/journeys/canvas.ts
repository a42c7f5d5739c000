import { useEffect, useRef, useState } from 'preact/hooks';
import type { EditorControls, TextChange } from '../../components/editor/editor-props.js';
import { admin, reasonOf } from '../../data/admin.js';
import { announce } from '../../data/announce.js';
import { texts } from './card-texts.js';
import type { Draft } from './draft.js';

/** The parts of a card that can be edited. `at` names a part in the text that it was read from. */
export interface CardParts {
  readonly clauses: readonly ClauseParts[];
}

export interface ClauseParts {
  readonly at: number;
  readonly condition: string | null;
  readonly when?: ConditionPart;
  readonly texts: readonly { readonly at: number; readonly word: string; readonly content: string; readonly fixed?: string }[];
  readonly buttons: readonly { readonly at: number; readonly label: string; readonly to: string | null; readonly fixed?: string }[];
  readonly ends: readonly {
    readonly at: number;
    readonly condition: string | null;
    readonly when?: ConditionPart;
    readonly to: string | null;
  }[];
}

/** A condition as the text writes it. */
export interface ConditionPart {
  readonly at: number;
  readonly content: string;
  readonly fixed?: string;
}

export type CanvasAction =
  | { readonly kind: 'text'; readonly at: number; readonly content: string }
  | { readonly kind: 'add_button'; readonly at: number; readonly label: string; readonly to: string; readonly text?: string }
  | { readonly kind: 'rename_button'; readonly at: number; readonly label: string }
  | { readonly kind: 'delete_button'; readonly at: number }
  | { readonly kind: 'connect'; readonly at: number; readonly to: string | null; readonly text?: string }
  | { readonly kind: 'condition'; readonly at: number; readonly content: string }
  | { readonly kind: 'rename_card'; readonly to: string }
  | { readonly kind: 'delete_card' };

interface Answer {
  readonly card: CardParts | null;
  readonly changes?: readonly TextChange[];
  readonly also?: readonly string[];
  readonly refused?: string;
}

const TYPING_MS = 300;

/** The parts of a card in a text; null if the text has errors. */
interface Read {
  readonly card: string;
  readonly of: string;
  readonly parts: CardParts | null;
}

type Change = readonly TextChange[] | 'undo' | 'redo';

/**
 * Edits the cards of a notebook: each edit is one step of the editor of its text, and can be undone there.
 * @param controls of the editor, while it is shown
 */
export function useCanvas({ journey, text = '', kept, set }: Draft, controls?: { readonly current: EditorControls | undefined }) {
  const [refused, refuse] = useState<string>();
  const [read, setRead] = useState<Read>();
  const newest = useRef({ text, read });
  newest.current.text = text;
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const know = (next: Read): void => {
    newest.current.read = next;
    setRead(next);
  };
  const ask = async (card: string, action?: CanvasAction, signal?: AbortSignal): Promise<Answer> => {
    const of = newest.current.text;
    const answer = await admin<Answer>('POST', `/journeys/${journey!.uuid}/edits`, { notebook: of, card, action }, signal);
    if (!answer.changes) know({ card, of, parts: answer.card });
    return answer;
  };
  const partsOf = async (card: string): Promise<CardParts | null> => {
    const known = newest.current.read;
    return known?.card === card && known.of === newest.current.text ? known.parts : (await ask(card)).card;
  };
  const change = async (changes: Change): Promise<boolean> => {
    if (controls?.current) return controls.current.change(changes);
    // The script of the editor is loaded with the first edit.
    const { changeKept } = await import('../../components/editor/kept-text.js');
    const after = changeKept(kept, newest.current.text, changes);
    if (after !== undefined) set(after);
    return after !== undefined;
  };
  /** One at a time, so that each reads the text that the previous one has written. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T | undefined> => {
    refuse(undefined);
    const turn = last.current.then(work).catch((error: unknown) => void refuse(reasonOf(error)));
    last.current = turn;
    return turn;
  };
  /** The answer to an action; undefined, with the reason on the page, if the text cannot express it. */
  const prepare = async (card: string, pick: Pick): Promise<Answer | undefined> => {
    const parts = await partsOf(card);
    const action = parts && pick(parts);
    if (typeof action !== 'object' || action === null) {
      refuse(action ?? texts.textHasErrors);
      return undefined;
    }
    const of = newest.current.text;
    const answer = await ask(card, action);
    const reason = answer.refused ?? (newest.current.text === of ? undefined : texts.changedMeanwhile);
    refuse(reason);
    return reason === undefined ? answer : undefined;
  };
  /** Makes an edit. Returns whether it was made. @param renamed the new name of the card, if the edit renames it */
  const edit = (card: string, pick: Pick, done: string, renamed?: string): Promise<boolean | undefined> =>
    inTurn(async () => {
      const answer = await prepare(card, pick);
      const { changes = [] } = answer ?? {};
      if (changes.length > 0) {
        const of = changedBy(newest.current.text, changes);
        if (!(await change(changes))) return false;
        newest.current.text = of;
        know({ card: renamed ?? card, of, parts: answer!.card });
        announce(done);
      }
      return answer !== undefined;
    });
  const step = (way: 'undo' | 'redo') =>
    inTurn(async () => {
      if (await change(way)) announce(way === 'undo' ? texts.undone : texts.redone);
      else announce(way === 'undo' ? texts.nothingToUndo : texts.nothingToRedo);
    });
  /** Connects a button of a card, by its index, or where the card continues, with another card. */
  const connect = (from: string, option: number | undefined, to: string) =>
    edit(
      from,
      ({ clauses }) => {
        const end = clauses.length === 1 ? clauses[0]!.ends.at(-1) : undefined;
        const part = option === undefined ? end : clauses.flatMap(({ buttons }) => buttons)[option];
        if (part) return { kind: 'connect', at: part.at, to };
        return texts.hasConditions(from, to);
      },
      texts.leadsTo(to),
    );
  /** Undo and redo as in an editor, for the page around the graph. A field has steps of its own. */
  const keys = (event: KeyboardEvent): void => {
    const key = event.key.toLowerCase();
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && (key === 'z' || key === 'y');
    if (!isCommand || (event.target as Element).closest('input, textarea, .editor')) return;
    event.preventDefault();
    void step(key === 'y' || event.shiftKey ? 'redo' : 'undo');
  };
  /** The parts of the selected card; null if the text has errors, and undefined until they were read. */
  const useParts = (card: string): CardParts | null | undefined => {
    const isKnown = read?.card === card;
    const isCurrent = isKnown && read.of === text;
    useEffect(() => {
      if (isCurrent) return;
      const abort = new AbortController();
      const start = (): void =>
        void ask(card, undefined, abort.signal).catch((error: unknown) => {
          if (!abort.signal.aborted) refuse(reasonOf(error));
        });
      const timer = setTimeout(start, isKnown ? TYPING_MS : 0);
      return () => {
        clearTimeout(timer);
        abort.abort();
      };
    }, [text, card, isCurrent]);
    return isKnown ? read.parts : undefined;
  };
  return { inTurn, prepare, edit, step, connect, keys, refused, useParts };
}

export type Canvas = ReturnType<typeof useCanvas>;

/** The action on the parts of a card as they are then; or why there is none. */
type Pick = (parts: CardParts) => CanvasAction | string;

function changedBy(text: string, changes: readonly TextChange[]): string {
  let [made, at] = ['', 0];
  for (const { from, to, insert } of changes) {
    made += text.slice(at, from) + insert;
    at = to;
  }
  return made + text.slice(at);
}
