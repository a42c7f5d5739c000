/** Signs that people do not see: marks of direction, zero-width spaces, soft hyphens, variation selectors, the frame of a keycap emoji. */
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\ufe0e|\ufe0f|\u20e3/g;

export const withoutInvisible = (text: string): string => text.replace(INVISIBLE, '');

export const IS_ASCII = /^[ -~]*$/;
const IS_DIGIT = /^\p{Nd}$/u;
const values = new Map<string, string>();

/** The value of a decimal digit. In Unicode the digits of a script are in a row, from 0 to 9, and several rows may follow each other. */
function digitValue(digit: string): string {
  let value = values.get(digit);
  if (value === undefined) {
    const code = digit.codePointAt(0)!;
    let first = code;
    while (IS_DIGIT.test(String.fromCodePoint(first - 1))) first--;
    value = String((code - first) % 10);
    values.set(digit, value);
  }
  return value;
}

/** A text with the digits of every script as 0 to 9, wide signs as narrow ones, any space as a plain one, and without invisible signs. */
export function plainDigits(text: string): string {
  if (IS_ASCII.test(text)) return text;
  return withoutInvisible(text)
    .replace(/\p{Nd}/gu, digitValue)
    .replace(/[\s\p{Zs}]/gu, ' ')
    .replace(/[−–－﹣‒]/g, '-')
    .replace(/[＋﹢]/g, '+')
    .replace(/[，،]/g, ',')
    .replace(/．/g, '.')
    .replace(/[：︰]/g, ':')
    .replace(/／/g, '/');
}
