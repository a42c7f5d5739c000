/** A part of a formatted text: a leaf with `text`, or marks around `children`. A link has a `url`. */
export interface Span {
  readonly type: 'text' | 'strong' | 'emphasis' | 'strike' | 'code' | 'link';
  readonly text?: string;
  readonly url?: string;
  readonly children?: readonly Span[];
}

const DEPTH = 8;
const marks: Readonly<Record<string, 'strong' | 'emphasis' | 'strike'>> = {
  '**': 'strong',
  '*': 'strong',
  _: 'emphasis',
  '~~': 'strike',
  '~': 'strike',
};
const WORD = /[\p{L}\p{N}]/u;
const LINK = /\[([^\][\n]{1,500})\]\(([^()\s]{1,2000})\)/y;
/** Matches images, which are not supported (Resources, "Integration context objects"), so that they are not read as links. */
const IMAGE = /!\[[^\][\n]{0,500}\]\([^()\s]{1,2000}\)/y;
const CODE = /`([^`\n]{1,1000})`/y;

/**
 * Parses the Markdown that texts may have to a tree of spans: strong, emphasis, strike-through, code and web links. It is a tree, never HTML, so that
 * a text cannot inject code into a page. Single asterisks mean strong and single tildes strike, which no Markdown library supports. All other Markdown,
 * such as headings and images, remains text.
 */
export function parseMarkdown(source: string, depth = 0): Span[] {
  const spans: Span[] = [];
  let plain = '';
  const push = (span: Span, length: number): void => {
    if (plain !== '') spans.push({ type: 'text', text: plain });
    plain = '';
    spans.push(span);
    at += length;
  };
  let at = 0;
  /** Marks that do not close before a position. Caches failed searches, which keeps parsing linear. */
  const unclosed = new Map<string, number>();
  while (at < source.length) {
    const image = matchAt(IMAGE, source, at);
    if (image) {
      plain += image[0];
      at += image[0].length;
      continue;
    }
    const span = depth < DEPTH ? spanAt(source, at, depth, unclosed) : undefined;
    if (span) push(span.span, span.length);
    else plain += source[at++];
  }
  if (plain !== '') spans.push({ type: 'text', text: plain });
  return spans;
}

function spanAt(source: string, at: number, depth: number, unclosed: Map<string, number>): { span: Span; length: number } | undefined {
  const code = matchAt(CODE, source, at);
  if (code) return { span: { type: 'code', text: code[1]! }, length: code[0].length };
  const link = matchAt(LINK, source, at);
  const url = link && webUrl(link[2]!);
  if (link && url) return { span: { type: 'link', url, children: parseMarkdown(link[1]!, depth + 1) }, length: link[0].length };
  for (const mark of Object.keys(marks)) {
    if (!source.startsWith(mark, at) || !opens(source, at, mark) || at < (unclosed.get(mark) ?? 0)) continue;
    const lineEnd = source.indexOf('\n', at) < 0 ? source.length : source.indexOf('\n', at);
    const end = closing(source, at + mark.length, lineEnd, mark);
    if (end < 0) {
      unclosed.set(mark, lineEnd);
      continue;
    }
    const inside = source.slice(at + mark.length, end);
    return { span: { type: marks[mark]!, children: parseMarkdown(inside, depth + 1) }, length: end + mark.length - at };
  }
  return undefined;
}

/** A mark opens before a non-space character, and not inside a word. */
const opens = (source: string, at: number, mark: string): boolean =>
  /\S/.test(source[at + mark.length] ?? ' ') && source[at + mark.length] !== mark[0] && !WORD.test(source[at - 1] ?? ' ');

/** The offset of the closing mark on this line, after a non-space character and not inside a word; -1 if there is none. */
function closing(source: string, from: number, lineEnd: number, mark: string): number {
  for (let end = source.indexOf(mark, from); end >= 0 && end < lineEnd; end = source.indexOf(mark, end + 1)) {
    const isOfLongerRun = mark.length === 1 && (source[end + 1] === mark || source[end - 1] === mark);
    if (end > from && !isOfLongerRun && /\S/.test(source[end - 1]!) && !WORD.test(source[end + mark.length] ?? ' ')) return end;
  }
  return -1;
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

function webUrl(written: string): string | undefined {
  if (!URL.canParse(written)) return undefined;
  const url = new URL(written);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined;
}
