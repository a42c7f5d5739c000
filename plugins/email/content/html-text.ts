/** Characters of HTML that are read. */
const MAX_HTML = 500_000;
/** Characters of a tag whose attributes are read. */
const MAX_TAG = 2_000;
/** Quotes in quotes that get a mark of their own. */
const MAX_QUOTES = 10;

const VOID = new Set(['area', 'base', 'br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr']);
const HIDDEN = new Set(['head', 'title', 'style', 'script', 'template', 'object', 'select', 'svg']);
/** Elements whose content is not HTML. */
const RAW = new Set(['style', 'script', 'title']);
const PARAGRAPHS = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'pre', 'blockquote', 'hr']);
const BLOCKS = new Set([...'address article dd div dl dt footer form header li main section table tbody tr'.split(' '), ...PARAGRAPHS]);

/** Elements of mail programs around the text that an answer quotes, the line before it, and signatures. */
const QUOTED = /^(gmail_attr|gmail_signature|moz-cite-prefix|moz-signature|yahoo_quoted|protonmail_quote)$/;
const SIGNATURES = new Set(['signature', 'ms-outlook-mobile-signature', 'applemailsignature']);
/** Below these, Outlook quotes the earlier message. */
const ANSWERED = new Set(['appendonsend', 'divrplyfwdmsg']);

/** The names of U+00A0 to U+00FF. */
const LATIN = [
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para',
  'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave',
  'Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc',
  'Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc',
  'iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml',
].flatMap((names) => names.split(' '));
const ENTITIES = new Map([
  ...LATIN.map((name, i) => [name, String.fromCharCode(160 + i)] as const),
  ...Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    ndash: '–',
    mdash: '—',
    hellip: '…',
    bull: '•',
    euro: '€',
    trade: '™',
  }),
  ...Object.entries({
    lsquo: '‘',
    rsquo: '’',
    sbquo: '‚',
    ldquo: '“',
    rdquo: '”',
    bdquo: '„',
    lsaquo: '‹',
    rsaquo: '›',
    oelig: 'œ',
    zwnj: '',
  }),
]);

/** Replaces the character references of HTML. */
const decoded = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]\w{1,9}));?/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(name) ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff) ? String.fromCodePoint(point) : '\ufffd';
  });

/** A tag; its attributes are read only when needed. */
function attributesOf(tag: string): Record<string, string> {
  if (!tag.includes('=')) return {};
  const found = tag.slice(0, MAX_TAG).matchAll(/\s(id|class|href|alt|type|style)\s?=\s?(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi);
  return Object.fromEntries(
    [...found].map(([, name, ...values]) => [name!.toLowerCase(), decoded(values.find((one) => one !== undefined)!)]),
  );
}

/** The text of a quote, or of the mail around it: pieces, because a long text that grows is copied by every look at it. */
interface Level {
  readonly pieces: string[];
  /** The last character. */
  last: string;
}

/**
 * The text of a mail in HTML, with line breaks, links as `words (address)` and quotes behind `> `. Takes time in proportion to its length.
 * @param isNew whether to leave out what is marked as quoted, and signatures
 */
export function htmlText(html: string, { isNew }: { isNew: boolean }): string {
  const source = html.slice(0, MAX_HTML);
  const levels: Level[] = [{ pieces: [], last: '' }];
  let [at, gap, quotes, pre] = [0, 0, 0, 0];
  let link: { readonly href: string; readonly from: number; readonly level: Level } | undefined;

  while (at < source.length) {
    const start = source.indexOf('<', at);
    writeText(decoded(source.slice(at, start < 0 ? source.length : start)));
    if (start < 0) break;
    const isTag = /[a-zA-Z/!?]/.test(source[start + 1] ?? '');
    const isComment = source.startsWith('<!--', start);
    // A search for an end that is not there is made once, because it ends the text.
    const end = isTag ? source.indexOf(isComment ? '-->' : '>', start) : start;
    if (isTag && end < 0) break;
    at = isTag ? end + (isComment ? 3 : 1) : start + 1;
    if (!isTag) write('<');
    else if (!readTag(source.slice(start, end + 1))) break;
  }
  while (levels.length > 1) closeQuote();
  return levels[0]!.pieces
    .join('')
    .replace(/[\u00a0\u202f]/g, ' ')
    .replace(/ +$/gm, '')
    .trim();

  /** @returns false if what follows is not of this mail */
  function readTag(tag: string): boolean {
    const [, slash, written] = /^<(\/?)([a-zA-Z][\w:-]*)/.exec(tag) ?? [];
    if (written === undefined) return true;
    const name = written.toLowerCase();
    if (BLOCKS.has(name)) gap = Math.max(gap, PARAGRAPHS.has(name) ? 2 : 1);
    if (slash === '/') {
      if (name === 'blockquote' && quotes > 0 && quotes-- <= MAX_QUOTES) closeQuote();
      else if (name === 'pre') pre = Math.max(0, pre - 1);
      else if (name === 'a') closeLink();
      else if (name === 'td' || name === 'th') write(' ');
      return true;
    }
    const { id = '', class: classes = '', href = '', alt = '', type, style = '' } = attributesOf(tag);
    const isQuote = name === 'blockquote' && (type === 'cite' || /\bgmail_quote\b/.test(classes));
    const isMarked = isQuote || classes.split(/\s+/).some((one) => QUOTED.test(one)) || SIGNATURES.has(id.toLowerCase());
    if (isNew && ANSWERED.has(id.toLowerCase())) return false;
    if (HIDDEN.has(name) || (!VOID.has(name) && (/display\s*:\s*none/i.test(style) || (isNew && isMarked)))) skip(name);
    else if (name === 'br') gap++;
    else if (name === 'img') write(alt);
    else if (name === 'li') write('- ');
    else if (name === 'pre') pre++;
    else if (name === 'a') link = { href, from: levels.at(-1)!.pieces.length, level: levels.at(-1)! };
    else if (name === 'blockquote' && ++quotes <= MAX_QUOTES) {
      levels.push({ pieces: [], last: '' });
      gap = 0;
    }
    return true;
  }

  function writeText(text: string): void {
    const lines = pre === 0 ? [text.replace(/[ \t\r\n\f]+/g, ' ')] : text.split('\n').map((line) => line.trimEnd());
    for (const [i, line] of lines.entries()) {
      if (i > 0) gap++;
      write(line);
    }
  }

  function write(text: string): void {
    const level = levels.at(-1)!;
    const isStart = level.last === '' || gap > 0;
    const shown = pre === 0 && (isStart || level.last === ' ') ? text.replace(/^ +/, '') : text;
    if (shown === '') return;
    if (level.last !== '') level.pieces.push('\n'.repeat(Math.min(gap, 2)));
    level.pieces.push(shown);
    level.last = shown.at(-1)!;
    gap = 0;
  }

  function closeQuote(): void {
    const quoted = levels.pop()!.pieces.join('').trim();
    gap = 2;
    if (quoted !== '') write(quoted.replace(/^/gm, '> '));
    gap = 2;
  }

  function closeLink(): void {
    const words = link?.level === levels.at(-1) ? link?.level.pieces.slice(link.from).join('').trim() : '';
    const isShown = bare(link?.href ?? '') === bare(words ?? '');
    if (link && words && !isShown && /^(https?|mailto|tel):/i.test(link.href)) write(` (${link.href})`);
    link = undefined;
  }

  /** Moves behind the end of an element whose start tag was read. */
  function skip(name: string): void {
    const tags = RAW.has(name) ? new RegExp(`<(/)${name}\\b`, 'gi') : new RegExp(`<(/?)${name}\\b`, 'gi');
    tags.lastIndex = at;
    for (let depth = 1; depth > 0; ) {
      const found = tags.exec(source);
      depth += found?.[1] === '' ? 1 : -1;
      if (!found) tags.lastIndex = source.length;
      if (!found) break;
    }
    const end = source.indexOf('>', tags.lastIndex);
    at = end < 0 ? source.length : end + 1;
  }
}

/** An address without what people leave out. */
const bare = (address: string): string => address.replace(/^(https?:\/\/|mailto:|tel:)|\/$/gi, '');
