import fc from 'fast-check';
import t from 'tap';
import { plainCharacters, segmentsOf, splitParts } from '../../../../plugins/sms/sending/segments.js';
import { runs } from '../../../forms.js';

/** Cases at the borders of 3GPP 23.038: text, encoding, units, segments. */
const CASES: readonly (readonly [what: string, text: string, encoding: string, units: number, segments: number])[] = [
  ['nothing', '', 'GSM-7', 0, 0],
  ['one segment that is full', 'a'.repeat(160), 'GSM-7', 160, 1],
  ['one more', 'a'.repeat(161), 'GSM-7', 161, 2],
  ['two segments that are full', 'a'.repeat(306), 'GSM-7', 306, 2],
  ['one more than two', 'a'.repeat(307), 'GSM-7', 307, 3],
  ['the whole basic alphabet', '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ', 'GSM-7', 31, 1],
  ['characters of the extension table count twice', '^{}\\[~]|€\f', 'GSM-7', 20, 1],
  ['80 of them', '€'.repeat(80), 'GSM-7', 160, 1],
  ['81 of them, of which none is cut: 76 in the first segment', '€'.repeat(81), 'GSM-7', 162, 2],
  ['an escape that would be cut moves to the next segment', `${'a'.repeat(152)}€${'a'.repeat(152)}`, 'GSM-7', 306, 3],
  ['a letter that is not in the alphabet', 'ç', 'UCS-2', 1, 1],
  ['its capital is', 'Ç', 'GSM-7', 1, 1],
  ['a backtick', '`', 'UCS-2', 1, 1],
  ['a tab', '\t', 'UCS-2', 1, 1],
  ['70 units', 'я'.repeat(70), 'UCS-2', 70, 1],
  ['71 units', 'я'.repeat(71), 'UCS-2', 71, 2],
  ['134 units', 'я'.repeat(134), 'UCS-2', 134, 2],
  ['135 units', 'я'.repeat(135), 'UCS-2', 135, 3],
  ['an emoji has two units', '👋', 'UCS-2', 2, 1],
  ['35 of them', '👋'.repeat(35), 'UCS-2', 70, 1],
  ['an emoji that would be cut moves to the next segment', `${'я'.repeat(66)}👋${'я'.repeat(66)}`, 'UCS-2', 134, 3],
  ['one character makes the whole text UCS-2', `${'a'.repeat(70)}“`, 'UCS-2', 71, 2],
];

t.test('segments are counted as 3GPP 23.038 says', async (t) => {
  for (const [what, text, encoding, units, segments] of CASES) t.match(segmentsOf(text), { encoding, units, segments }, what);
  t.equal(segmentsOf('a'.repeat(150)).left, 10);
  t.equal(segmentsOf('a'.repeat(161)).left, 145);
});

t.test('typographic characters are replaced if that makes a text cheaper, and only then', async (t) => {
  t.equal(plainCharacters('“It’s” – 5…\u00A0km'), '"It\'s" - 5... km');
  t.equal(plainCharacters('“It’s” 👋'), '“It’s” 👋');
  t.equal(plainCharacters('“Привет”'), '“Привет”');
  t.equal(plainCharacters('e\u0301'), 'é', 'composed');
  t.equal(plainCharacters('plain text'), 'plain text');
});

t.test('long texts are split after sentences, with the number of the part', async (t) => {
  const sentence = 'Your loan is due on Friday. ';
  const parts = splitParts(sentence.repeat(20).trim(), 200);
  t.equal(parts.length, 4);
  for (const [i, part] of parts.entries()) {
    t.ok(part.length <= 200);
    t.ok(part.endsWith(`Friday. (${i + 1}/4)`), part);
  }
  t.same(splitParts('short', 200), ['short']);
});

t.test('no character is lost or cut, whatever the text is', async () => {
  const words = fc.array(fc.constantFrom('a', '👋', '. ', '\n', ' ', 'word', '€', 'é'.repeat(300)), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(words, (given) => {
      const text = given.join('');
      const parts = splitParts(text, 160);
      const joined = parts.length === 1 ? parts[0]! : parts.map((one) => one.replace(/ \(\d+\/\d+\)$/, '')).join('');
      return (
        parts.every((one) => one.length <= 160 && !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(one)) &&
        joined.replaceAll(/\s/g, '') === text.replaceAll(/\s/g, '')
      );
    }),
    { numRuns: runs(200) },
  );
});
