import { LINK_CODES } from './hyperlink.js';

/** Embeddings, overrides and isolates. The simple direction marks are not escaped: ordinary Hebrew and Arabic texts contain them. */
const BIDI_CONTROLS = '\\u202a-\\u202e\\u2066-\\u2069';
const CONTROL = `[\\p{Cc}\\p{Zl}\\p{Zp}${BIDI_CONTROLS}\\ufeff]`;
const COLOUR_CODES = '\\u001b\\[(?:[012]|3[1236])m';
/** Characters that move the cursor, change colours, break a line or change the direction of writing. */
const CONTROLS = new RegExp(CONTROL, 'gu');

/** The codes that a stream may contain. */
interface AllowedCodes {
  readonly isColoured: boolean;
  readonly hasLinks?: boolean;
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escapes control characters in texts from outside, so that a message cannot control the terminal. */
export const escapeControls = (text: string): string => text.replace(CONTROLS, escaped);

const foreign = new Map<string, RegExp>();

/** Control characters, and our own codes as one match each: line ends, tabs, colours and links. */
function foreignControls({ isColoured, hasLinks = false }: AllowedCodes): RegExp {
  const source = ['[\\n\\t]', ...(isColoured ? [COLOUR_CODES] : []), ...(hasLinks ? [LINK_CODES] : []), CONTROL].join('|');
  const known = foreign.get(source) ?? new RegExp(source, 'gu');
  foreign.set(source, known);
  return known;
}

/** Escapes remaining control characters in everything that is printed. Printed JSON stays equivalent JSON. */
export const escapeOutput = (text: string, allowed: AllowedCodes): string =>
  text.replace(foreignControls(allowed), (found) => (found === '\n' || found === '\t' || found.length > 1 ? found : escaped(found)));
