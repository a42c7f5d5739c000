/**
 * Patterns of mocks (Resources, "HTTP mock object"): `*` matches anything, `:name` one segment of the path, all other text itself.
 * Existing libraries reject full URLs, add optional groups and regular expressions, or backtrack without bound on a pattern with
 * many stars. Matching here takes at most (length of the pattern) x (length of the URL) steps.
 */

type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'anything' }
  | { readonly kind: 'segment'; readonly name: string };

export interface UrlPattern {
  /** The values of the `:name` segments if the pattern matches the complete URL, otherwise undefined. */
  match(url: string): Readonly<Record<string, string>> | undefined;
  /** Where the URL differs: `fits` characters match; there the pattern `wants` one text, and the URL `has` another. */
  closest(url: string): { readonly fits: number; readonly wants: string; readonly has: string };
  /** Steps of all matches so far, for tests of the bound. */
  readonly steps: () => number;
}

/** Parses a pattern. @throws Error with a message for the pattern's author */
export function urlPattern(source: string): UrlPattern {
  const hasQuery = source.includes('?');
  const pieces = normalised(piecesOf(source));
  let steps = 0;

  return { match, closest, steps: () => steps };

  /** `ends[k][i]`: the pieces from the k-th on match the URL from its i-th character to its end. */
  function match(url: string): Readonly<Record<string, string>> | undefined {
    const text = compared(url, hasQuery);
    const ends = Array.from({ length: pieces.length + 1 }, () => new Uint8Array(text.length + 1));
    ends[pieces.length]![text.length] = 1;
    for (let k = pieces.length - 1; k >= 0; k--) {
      steps += text.length;
      follow(pieces[k]!, text, ends[k]!, ends[k + 1]!);
    }
    return ends[0]![0] ? namesIn(text, ends) : undefined;
  }

  /** Each name takes as much of its segment as the rest of the pattern allows. */
  function namesIn(text: string, ends: readonly Uint8Array[]): Readonly<Record<string, string>> {
    const params: Record<string, string> = {};
    let at = 0;
    for (const [k, piece] of pieces.entries()) {
      const next = ends[k + 1]!;
      if (piece.kind === 'text') at += piece.text.length;
      else if (piece.kind === 'anything') while (!next[at]) at++;
      else {
        let end = segmentEnd(text, at);
        while (!next[end]) end--;
        params[piece.name] = decoded(text.slice(at, end));
        at = end;
      }
    }
    return params;
  }

  function closest(url: string): { fits: number; wants: string; has: string } {
    const text = compared(url, hasQuery);
    let reached = new Uint8Array(text.length + 1);
    reached[0] = 1;
    let best = { fits: 0, wants: source, has: text };
    for (const piece of pieces) {
      const next = new Uint8Array(text.length + 1);
      const far = lastOf(reached);
      if (piece.kind === 'text') {
        const common = commonStart(piece.text, text.slice(far));
        if (far + common >= best.fits) best = { fits: far + common, wants: piece.text.slice(common), has: text.slice(far + common) };
      }
      advance(piece, text, reached, next);
      if (lastOf(next) < 0) return best;
      reached = next;
    }
    const far = lastOf(reached);
    return { fits: far, wants: '', has: text.slice(far) };
  }
}

/** Marks in `here` where a piece can begin, given in `next` where the following piece can. */
function follow(piece: Piece, text: string, here: Uint8Array, next: Uint8Array): void {
  if (piece.kind === 'text') {
    for (let i = text.length - piece.text.length; i >= 0; i--)
      if (next[i + piece.text.length] && text.startsWith(piece.text, i)) here[i] = 1;
    return;
  }
  let possible = 0;
  for (let i = text.length; i >= 0; i--) {
    if (piece.kind === 'anything') here[i] = possible ||= next[i]!;
    else if (i < text.length) {
      possible = isSegmentEnd(text[i]!) ? 0 : possible || next[i + 1]!;
      here[i] = possible;
    }
  }
}

/** Marks in `to` where a piece can end, given in `from` where it can begin. */
function advance(piece: Piece, text: string, from: Uint8Array, to: Uint8Array): void {
  if (piece.kind === 'text') {
    for (let i = 0; i + piece.text.length <= text.length; i++) if (from[i] && text.startsWith(piece.text, i)) to[i + piece.text.length] = 1;
    return;
  }
  let possible = 0;
  for (let i = 0; i <= text.length; i++) {
    if (piece.kind === 'anything') to[i] = possible ||= from[i]!;
    else {
      to[i] = possible;
      possible = i < text.length && !isSegmentEnd(text[i]!) ? possible || from[i]! : 0;
    }
  }
}

function piecesOf(source: string): Piece[] {
  const query = source.indexOf('?');
  const names = new Set<string>();
  const pieces: Piece[] = [];
  let plain = '';
  const flush = (): void => {
    if (plain !== '') pieces.push({ kind: 'text', text: asInAddresses(plain) });
    plain = '';
  };
  for (let i = 0; i < source.length && source[i] !== '#'; i++) {
    const isInPath = query < 0 || i < query;
    const name =
      source[i] === ':' && source[i - 1] === '/' && isInPath ? (/^[A-Za-z_]\w*/.exec(source.slice(i + 1, i + 200))?.[0] ?? '') : '';
    if (name !== '') {
      if (names.has(name)) throw new Error(`duplicate parameter :${name}`);
      names.add(name);
      flush();
      pieces.push({ kind: 'segment', name });
      i += name.length;
    } else if (source[i] === '*') {
      flush();
      if (pieces.at(-1)?.kind !== 'anything') pieces.push({ kind: 'anything' });
    } else plain += source[i];
  }
  flush();
  return pieces;
}

/** Lower-cases scheme and host and removes the default port, as `URL` does with the compared URLs. */
function normalised(pieces: readonly Piece[]): readonly Piece[] {
  const [first, ...rest] = pieces;
  if (first?.kind !== 'text') return pieces;
  const origin = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(first.text);
  if (!origin) return pieces;
  const [complete, scheme, host] = origin;
  const isWhole = rest.length === 0 || complete!.length < first.text.length;
  const port = scheme!.toLowerCase() === 'https' ? ':443' : ':80';
  const plain = host!.toLowerCase();
  const shown = isWhole && plain.endsWith(port) ? plain.slice(0, -port.length) : plain;
  const path = first.text.slice(complete!.length);
  const isBare = path === '' && rest.length === 0;
  return [{ kind: 'text', text: `${scheme!.toLowerCase()}://${shown}${isBare ? '/' : path}` }, ...rest];
}

/** The part of a URL that a pattern is compared with: no fragment, and no query if the pattern has none. */
function compared(url: string, hasQuery: boolean): string {
  const complete = URL.canParse(url) ? new URL(url).href : url;
  const [plain = ''] = complete.split('#');
  return hasQuery ? plain : plain.split('?')[0]!;
}

/** Percent-encodes spaces and non-ASCII characters of a pattern, as `URL` does with the compared URLs. */
const asInAddresses = (text: string): string => text.replace(/[^\x21-\x7e]+/gu, (part) => encodeURI(part));

const isSegmentEnd = (character: string): boolean => character === '/' || character === '?';

function segmentEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && !isSegmentEnd(text[end]!)) end++;
  return end;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // An invalid escape stays as it is.
    return text;
  }
}

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

const lastOf = (marks: Uint8Array): number => marks.lastIndexOf(1);
