import t from 'tap';
import { SecretMasker } from '../../../../core/adapters/secrets/secret-masker.js';

const knowing = (...values: readonly string[]): SecretMasker => {
  const masker = new SecretMasker();
  for (const value of values) masker.add(value);
  return masker;
};

t.test('a secret is masked wherever it occurs, and nothing else is', async (t) => {
  const { mask } = knowing('correct horse', 'p&s "w"\\rd', 'ph_0123456789');
  t.equal(mask('correct horse'), '[redacted]');
  t.equal(mask('a correct horse, correct horsecorrect horse.'), 'a [redacted], [redacted][redacted].');
  t.equal(mask('incorrect hors'), 'incorrect hors');
  t.equal(mask(JSON.stringify({ a: 'p&s "w"\\rd' })), '{"a":"[redacted]"}');
  t.equal(mask(`?a=${encodeURIComponent('p&s "w"\\rd')}`), '?a=[redacted]');
  t.equal(mask(`key ${Buffer.from('ph_0123456789').toString('base64')}`), 'key [redacted]==');
  t.equal(mask('ph_012345678'), 'ph_012345678');
  t.equal(new SecretMasker().mask('correct horse'), 'correct horse');
});

t.test('values that are too short are never masked', async (t) => {
  t.equal(knowing('number', 'a', '').mask('a number'), 'a number');
});

t.test('overlapping and nested secrets are masked completely', async (t) => {
  const { mask } = knowing('abcdefgh-12345678', '12345678-zyxwvuts', 'h-123456');
  t.equal(mask('< abcdefgh-12345678-zyxwvuts >'), '< [redacted] >');
  t.equal(mask('< abcdefgh-1234567 12345678-zyxwvuts >'), '< abcdefg[redacted]7 [redacted] >');
  t.equal(knowing('12345678', '1234567890').mask('1234567890'), '[redacted]', 'the longer of two with the same prefix');
});

t.test('a secret added later is masked from then on', async (t) => {
  const masker = knowing('ph_first-secret');
  t.equal(masker.mask('ph_first-secret ph_second-secret'), '[redacted] ph_second-secret');
  masker.add('ph_second-secret');
  t.equal(masker.mask('ph_first-secret ph_second-secret'), '[redacted] [redacted]');
});

t.test('a text that is too long to check completely ends without a part of a secret', async (t) => {
  const { mask } = knowing('abcdefgh-12345678');
  for (const before of [65_536 - 20, 65_536 - 17, 65_536 - 10, 65_536 - 1]) {
    const masked = mask(`${'.'.repeat(before)}abcdefgh-12345678${'.'.repeat(100)}`);
    t.notMatch(masked, /a/, `${before}`);
  }
});

t.test('each of many secrets is found in texts of all kinds', async (t) => {
  const secrets = Array.from({ length: 5000 }, (_, i) => `${(i * 2654435761) % 4294967291}-secret-${i}`);
  const { mask } = knowing(...secrets);
  const shown = secrets.filter((secret, i) => mask(`${'x'.repeat(i % 13)}${secret}.`) !== `${'x'.repeat(i % 13)}[redacted].`);
  t.strictSame(shown, []);
});
