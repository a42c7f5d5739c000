/** Embeddings, overrides and isolates; the marks of direction stand in ordinary Hebrew and Arabic. */
const TURNS = '\\u202a-\\u202e\\u2066-\\u2069';
const CONTROL = `[\\p{Cc}\\p{Zl}\\p{Zp}${TURNS}\\ufeff]`;
/** What moves the cursor, changes colours, breaks a line or turns the direction of writing. */
const CONTROLS = new RegExp(CONTROL, 'gu');
/** The same after what is ours: the ends of lines, and what `painter` writes. */
const AFTER_OURS = {
  true: new RegExp(`[\\n\\t]|\\u001b\\[(?:[012]|3[1236])m|${CONTROL}`, 'gu'),
  false: new RegExp(`[\\n\\t]|${CONTROL}`, 'gu'),
};

/** As the log escapes it. */
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A terminal obeys what it is shown; what others wrote must not tell it anything. */
export const shown = (text: string): string => text.replace(CONTROLS, escaped);

/** The last look at all that is printed, whoever put it together. JSON stays the same JSON. */
export const printable = (text: string, isColoured: boolean): string =>
  text.replace(AFTER_OURS[`${isColoured}`], (found) => (found === '\n' || found === '\t' || found.length > 1 ? found : escaped(found)));
