/** Characters of HTML that are read. */
const MAX_HTML = 500_000;
/** Quotes in quotes that get a mark of their own. */
const MAX_QUOTES = 10;

const HIDDEN = new Set(['head', 'title', 'style', 'script', 'template', 'object', 'select', 'svg']);
const PARAGRAPHS = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'pre', 'blockquote', 'hr']);
const BLOCKS = new Set([...'address article dd div dl dt footer form header li main section table tbody tr'.split(' '), ...PARAGRAPHS]);

/** Elements of mail programs around the text that an answer quotes, the line before it, and signatures. */
const QUOTED = /(^|\s)(gmail_attr|gmail_signature|moz-cite-prefix|moz-signature|yahoo_quoted|protonmail_quote)(\s|$)/;
const SIGNATURE = /^(signature|ms-outlook-mobile-signature|applemailsignature)$/i;
/** Below these, Outlook quotes the earlier message. */
const ANSWERED = /^(appendonsend|divrplyfwdmsg)$/i;

/** The text of a quote, or of the mail around it: pieces, because a long text that grows is copied by every look at it. */
interface Level {
  readonly pieces: string[];
  /** The last character. */
  last: string;
}

/**
 * The text of a mail in HTML, with line breaks, links as `words (address)` and quotes behind `> `.
 * @param isNew whether to leave out what is marked as quoted, and signatures
 */
export async function htmlText(html: string, { isNew }: { isNew: boolean }): Promise<string> {
  const { Parser } = await import('htmlparser2');
  const levels: Level[] = [{ pieces: [], last: '' }];
  let text = '';
  let [gap, quotes, pre, hidden] = [0, 0, 0, 0];
  let link: { readonly href: string; readonly from: number; readonly level: Level } | undefined;
  // Each element that is opened is also closed, by the parser if the mail does not.
  const parser = new Parser({
    ontext(more) {
      text += more;
    },
    onopentag(name, { id = '', class: classes = '', href = '', alt = '', type, style = '' }) {
      writeText(name);
      const isQuote = name === 'blockquote' && (type === 'cite' || /\bgmail_quote\b/.test(classes));
      const isOld = isNew && (isQuote || QUOTED.test(classes) || SIGNATURE.test(id));
      if (hidden > 0 || isOld || HIDDEN.has(name) || /display\s*:\s*none/i.test(style)) hidden++;
      else if (isNew && ANSWERED.test(id)) hidden = Number.POSITIVE_INFINITY;
      else if (name === 'br') gap++;
      else if (name === 'img') write(alt);
      else if (name === 'li') write('- ');
      else if (name === 'pre') pre++;
      else if (name === 'a') link = { href, from: levels.at(-1)!.pieces.length, level: levels.at(-1)! };
      else if (name === 'blockquote' && ++quotes <= MAX_QUOTES) {
        levels.push({ pieces: [], last: '' });
        gap = 0;
      }
    },
    onclosetag(name) {
      writeText(name);
      if (hidden > 0) hidden--;
      else if (name === 'blockquote' && quotes-- <= MAX_QUOTES) closeQuote();
      else if (name === 'pre') pre--;
      else if (name === 'a') closeLink();
      else if (name === 'td' || name === 'th') write(' ');
    },
  });
  parser.end(html.slice(0, MAX_HTML));
  writeText('');
  return levels[0]!.pieces
    .join('')
    .replace(/[\u00a0\u202f]/g, ' ')
    .replace(/ +$/gm, '')
    .trim();

  /** Writes the text before a tag. */
  function writeText(tag: string): void {
    const lines = pre === 0 ? [text.replace(/[ \t\r\n\f]+/g, ' ')] : text.split('\n').map((line) => line.trimEnd());
    text = '';
    if (hidden > 0) return;
    for (const [i, line] of lines.entries()) {
      if (i > 0) gap++;
      write(line);
    }
    if (BLOCKS.has(tag)) gap = Math.max(gap, PARAGRAPHS.has(tag) ? 2 : 1);
  }

  function write(shown: string): void {
    const level = levels.at(-1)!;
    const isStart = level.last === '' || gap > 0;
    const written = pre === 0 && (isStart || level.last === ' ') ? shown.replace(/^ +/, '') : shown;
    if (written === '') return;
    level.pieces.push('\n'.repeat(level.last === '' ? 0 : Math.min(gap, 2)), written);
    level.last = written.at(-1)!;
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
    if (link && words && bare(link.href) !== bare(words) && /^(https?|mailto|tel):/i.test(link.href)) write(` (${link.href})`);
    link = undefined;
  }
}

/** An address without what people leave out. */
const bare = (address: string): string => address.replace(/^(https?:\/\/|mailto:|tel:)|\/$/gi, '');
