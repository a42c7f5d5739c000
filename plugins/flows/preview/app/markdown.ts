/** Parses the Markdown of RichText, TextBody and TextCaption to a tree. HTML in it is plain text. */

export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'strong' | 'em' | 'del'; readonly children: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly children: readonly Inline[] }
  | { readonly kind: 'image'; readonly src: string; readonly alt: string };

export type Block =
  | { readonly kind: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly kind: 'heading'; readonly level: number; readonly children: readonly Inline[] }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly start: number; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: 'table'; readonly head: readonly (readonly Inline[])[]; readonly rows: readonly (readonly (readonly Inline[])[])[] };

/** Longer texts are shown as plain text. */
const MAX_CHARS = 20_000;
const MAX_DEPTH = 8;

/** @param headings whether `#` starts a heading and `|` a table, as in RichText */
export function blocksOf(text: string, headings: boolean): Block[] {
  if (text.length > MAX_CHARS) return [{ kind: 'paragraph', children: [{ kind: 'text', text }] }];
  const lines = text.split('\n');
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const end = (): void => {
    if (paragraph.length > 0) blocks.push({ kind: 'paragraph', children: inline(paragraph.join('\n')) });
    paragraph = [];
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    const heading = headings && /^(#{1,6})\s+(.*)$/.exec(line);
    const item = itemOf(line);
    if (line.trim() === '') end();
    else if (heading) {
      end();
      blocks.push({ kind: 'heading', level: heading[1]!.length, children: inline(heading[2]!.trim()) });
    } else if (item) {
      end();
      const items = [inline(item.text)];
      for (let next = itemOf(lines[i + 1] ?? ''); next?.ordered === item.ordered; next = itemOf(lines[i + 1] ?? '')) {
        items.push(inline(next.text));
        i++;
      }
      blocks.push({ kind: 'list', ordered: item.ordered, start: item.start, items });
    } else if (headings && isRow(line) && isRule(lines[i + 1])) {
      end();
      const rows: Inline[][][] = [];
      const head = cellsOf(line);
      for (i += 2; i < lines.length && isRow(lines[i]!); i++) rows.push(cellsOf(lines[i]!));
      i--;
      blocks.push({ kind: 'table', head, rows });
    } else paragraph.push(line);
  }
  end();
  return blocks;
}

function itemOf(line: string): { ordered: boolean; start: number; text: string } | undefined {
  const match = /^\s{0,3}(?:(\d{1,9})[.)]|[-+*])\s+(.*)$/.exec(line);
  return match ? { ordered: match[1] !== undefined, start: Number(match[1] ?? 1), text: match[2]! } : undefined;
}

const isRow = (line: string): boolean => /^\s*\|.*\|\s*$/.test(line);
const isRule = (line: string | undefined): boolean => line !== undefined && /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/.test(line);
const cellsOf = (line: string): Inline[][] =>
  line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => inline(cell.trim()));

const marks: readonly (readonly [mark: string, kinds: readonly ('strong' | 'em' | 'del')[]])[] = [
  ['***', ['strong', 'em']],
  ['**', ['strong']],
  ['__', ['strong']],
  ['~~', ['del']],
  ['*', ['em']],
  ['_', ['em']],
  ['~', ['del']],
];

export function inline(text: string, depth = 0): Inline[] {
  const parts: Inline[] = [];
  let plain = '';
  const flush = (): void => {
    if (plain !== '') parts.push({ kind: 'text', text: plain });
    plain = '';
  };
  for (let at = 0; at < text.length; ) {
    const found =
      text[at] === '\\' ? escaped(text, at) : depth < MAX_DEPTH ? (linkAt(text, at, depth) ?? markAt(text, at, depth)) : undefined;
    if (typeof found === 'string') {
      plain += found;
      at += 2;
    } else if (found) {
      flush();
      parts.push(found.part);
      at = found.end;
    } else plain += text[at++];
  }
  flush();
  return parts;
}

const escaped = (text: string, at: number): string | undefined =>
  /[\\`*_~[\]()#+\-.!|]/.test(text[at + 1] ?? '') ? text[at + 1] : undefined;

function markAt(text: string, at: number, depth: number): { part: Inline; end: number } | undefined {
  for (const [mark, kinds] of marks) {
    if (!text.startsWith(mark, at)) continue;
    const from = at + mark.length;
    const end = text.indexOf(mark, from);
    const isInWord = mark.startsWith('_') && /\w/.test(text[at - 1] ?? '');
    if (end <= from || isInWord || /\s/.test(text[from]!) || /\s/.test(text[end - 1]!)) continue;
    const children = inline(text.slice(from, end), depth + 1);
    const part = [...kinds].reverse().reduce<readonly Inline[]>((inner, kind) => [{ kind, children: inner }], children)[0]!;
    return { part, end: end + mark.length };
  }
  return undefined;
}

const LINK = /(!?)\[((?:[^[\]\\]|\\.)*)\]\(\s*([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+"[^"]*")?\s*\)/y;
const SAFE = /^(?:https?:\/\/|mailto:|tel:)/i;
const PICTURE = /^data:image\/(?:png|jpe?g|webp);base64,[a-z\d+/=]+$/i;

/** Parses a link or image. Links with other schemes than `SAFE`, and images that are not embedded, remain text. */
function linkAt(text: string, at: number, depth: number): { part: Inline; end: number } | undefined {
  if (text[at] !== '[' && text[at] !== '!') return undefined;
  LINK.lastIndex = at;
  const match = LINK.exec(text);
  if (!match) return undefined;
  const [whole, bang, label, target] = match;
  const end = at + whole.length;
  if (bang) return PICTURE.test(target!) ? { part: { kind: 'image', src: target!, alt: label! }, end } : undefined;
  return SAFE.test(target!) ? { part: { kind: 'link', href: target!, children: inline(label!, depth + 1) }, end } : undefined;
}
