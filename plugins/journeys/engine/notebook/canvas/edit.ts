import { compileNotebook } from '../notebook.js';
import { type ReadNotebook, readNotebook } from '../read-notebook.js';
import { type CanvasAction, Editing } from './editing.js';
import { Refused, type TextChange } from './write.js';

/** The changes of the text, in its order and with its own offsets, or why there are none. `also`: what else they change, in words. */
export type CanvasEdit = { readonly changes: readonly TextChange[]; readonly also: readonly string[] } | { readonly refused: string };

/** Writes an edit of a card into the text of its notebook. All other bytes stay as they are. */
export function editNotebook(text: string, action: CanvasAction): CanvasEdit {
  const notebook = readNotebook(text);
  const [fault] = notebook.findings.list(notebook.lines).filter(({ severity }) => severity === 'error');
  if (fault) return { refused: `The text has errors. First correct line ${fault.line}, column ${fault.column}: ${fault.message}.` };
  try {
    const { changes, also = [] } = new Editing(notebook).edit(action);
    const sorted = changes
      .filter(({ from, to, insert }) => notebook.source.slice(from, to) !== insert)
      .toSorted((a, b) => a.from - b.from || a.to - b.to);
    checkResult(notebook, sorted, action);
    return { changes: inOriginal(text, sorted), also };
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message };
    throw error;
  }
}

/** The text with these changes. */
export function changed(text: string, changes: readonly TextChange[]): string {
  let [made, at] = ['', 0];
  for (const { from, to, insert } of changes) {
    made += text.slice(at, from) + insert;
    at = to;
  }
  return made + text.slice(at);
}

/** Refuses what would not be read as it was meant, such as a text with a line that ends the code around it. */
function checkResult(notebook: ReadNotebook, changes: readonly TextChange[], { kind }: CanvasAction): void {
  const text = changed(notebook.source, changes);
  const [fault] = compileNotebook(text).findings.filter(({ severity }) => severity === 'error');
  const { kinds } = readNotebook(text).tokens;
  const isSame = kinds.length === notebook.tokens.kinds.length && kinds.every((one, i) => one === notebook.tokens.kinds[i]);
  if (kind === 'text' && (fault || !isSame)) throw new Refused('A line of this text would be read as code, not as a text.');
  if (kind === 'condition' && (fault || shapeOf(readNotebook(text)) !== shapeOf(notebook)))
    throw new Refused(`This cannot be read as one condition${fault ? `: ${fault.message}` : ''}.`);
  if (fault) throw new Refused(`The journey would have an error: ${fault.message}.`);
}

/** Everything in a notebook that an edit of a condition keeps. */
const shapeOf = ({ program: { cards, triggers }, tokens }: ReadNotebook): string =>
  JSON.stringify([
    cards.map(({ name, head, items }) => [name, head.next?.name, Boolean(head.when), items.map(({ kind }) => kind)]),
    [triggers.length, tokens.comments.length],
  ]);

/** Changes with the offsets and line breaks of the text as it was given: with a byte order mark, and carriage returns. */
function inOriginal(text: string, changes: readonly TextChange[]): readonly TextChange[] {
  const shift = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const hasReturns = text.includes('\r\n');
  if (!hasReturns && shift === 0) return changes;
  const returns = hasReturns ? [...text.matchAll(/\r\n/g)].map(({ index }, i) => index - shift - i) : [];
  const original = (offset: number): number => {
    let count = 0;
    while (count < returns.length && returns[count]! < offset) count++;
    return offset + shift + count;
  };
  return changes.map(({ from, to, insert }) => ({
    from: original(from),
    to: original(to),
    insert: hasReturns ? insert.replaceAll('\n', '\r\n') : insert,
  }));
}
