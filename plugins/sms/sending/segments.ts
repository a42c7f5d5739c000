/** The default alphabet of GSM (3GPP 23.038), one unit each. */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** The characters of its extension table: an escape and another unit. */
const EXTENSION = new Set('\f^{}\\[~]|€');

/** Units of a message in one segment, and of a segment of a longer one, whose first units say which one it is. */
const UNITS = { 'GSM-7': { alone: 160, joined: 153 }, 'UCS-2': { alone: 70, joined: 67 } } as const;

/** The size of a text on the air. A message is paid for by segment. */
export interface Segments {
  readonly encoding: keyof typeof UNITS;
  /** Septets of `GSM-7`, UTF-16 units of `UCS-2`. */
  readonly units: number;
  readonly segments: number;
  /** Units that the last segment still has room for. */
  readonly left: number;
}

const isGsm = (text: string): boolean => [...text].every((one) => BASIC.has(one) || EXTENSION.has(one));

/** Counts the segments of a text. One character that the GSM alphabet does not have makes all of it UCS-2. */
export function segmentsOf(text: string): Segments {
  const encoding = isGsm(text) ? 'GSM-7' : 'UCS-2';
  const { alone, joined } = UNITS[encoding];
  // Neither an escape and its unit nor the halves of a character are in different segments.
  const sizes = [...text].map((one) => (encoding === 'UCS-2' ? one.length : EXTENSION.has(one) ? 2 : 1));
  const units = sizes.reduce((sum, size) => sum + size, 0);
  if (units <= alone) return { encoding, units, segments: text === '' ? 0 : 1, left: alone - units };
  let [segments, used] = [1, 0];
  for (const size of sizes) {
    if (used + size > joined) [segments, used] = [segments + 1, 0];
    used += size;
  }
  return { encoding, units, segments, left: joined - used };
}

/** Characters that a person reads as those of the GSM alphabet. */
const LOOK_ALIKES: readonly (readonly [RegExp, string])[] = [
  [/[‘’‚‛′´`ʼ＇]/g, "'"],
  [/[“”„‟″«»＂]/g, '"'],
  [/[‹]/g, '<'],
  [/[›]/g, '>'],
  [/[‐‑‒–—―−﹣－]/g, '-'],
  [/…/g, '...'],
  [/[•‣·]/g, '*'],
  [/[\t\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/g, ' '],
  [/[\u2028\u2029]/g, '\n'],
  [/[\u00AD\u200B\u2060\uFEFF]/g, ''],
];

/** A text with typographic characters replaced, if that makes it fit the GSM alphabet; else as it is, because it would cost the same. */
export function plainCharacters(text: string): string {
  const normal = text.normalize('NFC');
  const plain = LOOK_ALIKES.reduce((changed, [from, to]) => changed.replace(from, to), normal);
  return isGsm(plain) ? plain : text;
}

/** Where a part can end, the best first: after a sentence or a line, else after a word. */
const ENDS = [/(?:[.!?…。！？]["')\]»”]*\s|\n)/g, /\s/g];

/** Splits a text into messages of at most `max` UTF-16 units, which end with "(1/3)". */
export function splitParts(text: string, max: number): string[] {
  if (text.length <= max) return [text];
  const room = max - ' (99/99)'.length;
  const parts: string[] = [];
  let rest = text;
  while (rest.length > room) {
    const end = endIn(rest, room);
    parts.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  if (rest !== '') parts.push(rest);
  return parts.map((part, i) => `${part} (${i + 1}/${parts.length})`);
}

function endIn(text: string, room: number): number {
  for (const end of ENDS) {
    const last = [...text.slice(0, room + 1).matchAll(end)].at(-1);
    // A part that is nearly empty would only make more messages.
    if (last && last.index > room / 4) return Math.min(last.index + last[0].length, room);
  }
  return /[\uD800-\uDBFF]/.test(text[room - 1]!) ? room - 1 : room;
}
