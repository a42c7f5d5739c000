import t from 'tap';
import { ConsoleLogger } from '../../../../core/adapters/log/console-logger.js';
import { plainFields } from '../../../../core/adapters/log/plain-fields.js';
import { SafeLogger } from '../../../../core/adapters/log/safe-logger.js';
import { SecretMasker } from '../../../../core/adapters/secrets/secret-masker.js';
import { ManualClock } from '../../../../core/testing/index.js';

t.test('a line says how much was cut off, however many loggers it passes through', async (t) => {
  let bytes = '';
  const stream = { write: (text: string) => (bytes += text) };
  const written = new ConsoleLogger({ clock: new ManualClock(), stream });
  const log = new SafeLogger(() => written, { secrets: new SecretMasker(), tracing: undefined });
  const wide = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`at ${i}`, i]));
  log.info('w'.repeat(5000), { body: 'b'.repeat(5000), list: Array.from({ length: 80 }, (_, i) => i), wide });
  const { message, body, list, wide: shown } = JSON.parse(bytes);
  const left = (text: string, letter: string) => text.split(letter).length - 1 + Number(/\[(\d+) more\]$/.exec(text)?.[1]);
  t.equal(left(message, 'w'), 5000);
  t.equal(left(body, 'b'), 5000);
  t.equal(list.length - 1 + Number(/^\[(\d+) more\]$/.exec(list.at(-1))?.[1]), 80);
  t.equal(Object.keys(shown).length - 1 + shown['[more]'], 80);
});

t.test('converting plain fields again does not change them', async (t) => {
  const given = {
    text: 'x'.repeat(10_000),
    exactly: 'y'.repeat(4096),
    many: Array.from({ length: 60 }, (_, i) => 'z'.repeat(i * 100)),
    rest: Array.from({ length: 40 }, (_, i) => 'r'.repeat(i)),
    deep: [[[[[[[[[['bottom']]]]]]]]]],
    error: new Error('e'.repeat(5000)),
  };
  const once = plainFields(given);
  t.strictSame(plainFields(once), once);
  t.equal(once.exactly, given.exactly);
  t.ok(JSON.stringify(once).length < 40_000);
});
