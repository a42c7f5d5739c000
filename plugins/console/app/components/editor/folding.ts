import { foldService } from '@codemirror/language';

/** More lines below a line than these are not looked at, so that scrolling stays fast in a long text. */
const MAX_LINES = 2_000;

const indentOf = (text: string): number => text.search(/\S/);

/** A line can be folded with the lines below it that are indented deeper: an object of JSON, or a card of a notebook. */
export const folding = foldService.of(({ doc }, lineStart) => {
  const head = doc.lineAt(lineStart);
  const indent = indentOf(head.text);
  if (indent < 0) return null;
  let end = head.to;
  for (let n = head.number + 1; n <= Math.min(doc.lines, head.number + MAX_LINES); n++) {
    const { text, to } = doc.line(n);
    const deeper = indentOf(text);
    if (deeper >= 0 && deeper <= indent) break;
    if (deeper >= 0) end = to;
  }
  return end > head.to ? { from: head.to, to: end } : null;
});
