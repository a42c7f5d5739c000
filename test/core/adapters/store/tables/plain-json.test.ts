import t from 'tap';
import { copyOf } from '../../../../../core/adapters/store/tables/plain-json.js';
import { quoted } from '../../../../../core/json.js';

const texts = [
  '',
  'in-1',
  '01a22a47-6c22-7991-b6e4-7315ad902662/000000000201',
  '2026-11-30T02:27:33.537Z',
  '+27820001001',
  'Grüße an alle 256',
  'ÿ'.repeat(256),
  'ÿ'.repeat(257),
  'x'.repeat(10_000),
  'more than latin: ∑ 🦔',
  'half of a pair: \ud83e, and the other: \udd94',
  'quotes " and \\ and\n\u0000\u001f\u007f\u2028',
  '__proto__',
];

t.test('a copy of a string equals it', async (t) => {
  for (const text of texts) t.equal(copyOf(text), text);
  const large = texts.join('|');
  for (const slice of large.split('|')) t.equal(copyOf(slice), slice);
});

t.test('a quoted string is what JSON.stringify writes', async (t) => {
  for (const text of texts) t.equal(quoted(text), JSON.stringify(text));
  for (let code = 0; code < 0x180; code++)
    t.equal(quoted(`a${String.fromCharCode(code)}`), JSON.stringify(`a${String.fromCharCode(code)}`));
});
