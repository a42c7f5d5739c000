/** Embeddings, overrides and isolates. The simple direction marks are not escaped: ordinary Hebrew and Arabic texts contain them. */
const BIDI_CONTROLS = '\\u202a-\\u202e\\u2066-\\u2069';
const CONTROL = `[\\p{Cc}\\p{Zl}\\p{Zp}${BIDI_CONTROLS}\\ufeff]`;
/** Characters that move the cursor, change colours, break a line or change the direction of writing. */
const CONTROLS = new RegExp(CONTROL, 'gu');
/** The same, except for ours: line ends, tabs and the codes of `painter`. The keys say whether colours are on. */
const FOREIGN_CONTROLS = {
  true: new RegExp(`[\\n\\t]|\\u001b\\[(?:[012]|3[1236])m|${CONTROL}`, 'gu'),
  false: new RegExp(`[\\n\\t]|${CONTROL}`, 'gu'),
};

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escapes control characters in texts from outside, so that a message cannot control the terminal. */
export const escapeControls = (text: string): string => text.replace(CONTROLS, escaped);

/** Escapes remaining control characters in everything that is printed. Printed JSON stays equivalent JSON. */
export const escapeOutput = (text: string, isColoured: boolean): string =>
  text.replace(FOREIGN_CONTROLS[`${isColoured}`], (found) =>
    found === '\n' || found === '\t' || found.length > 1 ? found : escaped(found),
  );
