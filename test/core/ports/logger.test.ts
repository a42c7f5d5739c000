import t from 'tap';
import { ManualClock } from '../../../core/adapters/clock/manual-clock.js';
import { ConsoleLogger, type ConsoleLoggerOptions } from '../../../core/adapters/log/console-logger.js';
import { loggerContract } from '../../../core/testing/logger-contract.js';
import { RecordingLogger } from '../../../core/testing/recording-logger.js';

t.test('the console logger keeps the contract', (t) =>
  loggerContract(t, () => {
    const { log, parsed } = consoleLogger({ level: 'debug' });
    return {
      log,
      lines: () => parsed().map(({ time: _, level, message, ...fields }) => ({ level: String(level), message: String(message), fields })),
    };
  }),
);

t.test('the recording logger keeps the contract', (t) =>
  loggerContract(t, () => {
    const log = new RecordingLogger();
    return { log, lines: () => log.lines };
  }),
);

t.test('the recording logger returns the messages of one level, including those of its children', async (t) => {
  const log = new RecordingLogger();
  log.warn('one');
  log.info('two');
  log.child({ plugin: 'flows' }).warn('three');
  t.same(log.messages('warn'), ['one', 'three']);
});

t.test('the console logger', async (t) => {
  await t.test('writes one line of JSON with the time of the clock', async (t) => {
    const { log, text } = consoleLogger();
    log.info('ready', { port: 8080 });
    t.equal(text(), '{"time":"2026-01-05T08:00:00.000Z","level":"info","message":"ready","port":8080}\n');
  });

  await t.test('drops lines below its level, in its children too', async (t) => {
    const { log, parsed } = consoleLogger({ level: 'warn' });
    log.debug('a');
    log.info('b');
    log.child({ plugin: 'flows' }).info('c');
    log.warn('d');
    log.error('e');
    t.same(
      parsed().map(({ message }) => message),
      ['d', 'e'],
    );
  });

  await t.test('never writes the value of a field named like a secret, at any depth', async (t) => {
    const { log, text } = consoleLogger();
    log.child({ apiKey: 'SECRET' }).info('channel made', {
      token: 'SECRET',
      tokens: ['SECRET'],
      webhook: { hmac_secret: 'SECRET', headers: [{ Authorization: 'Bearer SECRET' }] },
      admin: new Map([['x-api-key', 'SECRET']]),
      error: Object.assign(new Error('refused'), { password: 'SECRET', cause: { accessToken: 'SECRET' } }),
      token_id: 'shown',
    });
    t.notMatch(text(), /SECRET/);
    t.match(text(), /"token_id":"shown"/);
    t.match(text(), /"hmac_secret":"\[redacted\]"/);
  });

  await t.test('writes no characters that control a terminal or break a line', async (t) => {
    const { log, text, parsed } = consoleLogger();
    const nasty = 'a\nb\r\u001b[31mred\u007f\u0085\u009b\u2028\u2029\u202e\u0000';
    log.info(nasty, { [nasty]: nasty });
    t.match(text(), /^[ -~]*\n$/);
    t.equal(parsed()[0]?.message, nasty);
    t.equal(parsed()[0]?.[nasty], nasty);
  });

  await t.test('renames fields that collide with its own', async (t) => {
    const { log, parsed } = consoleLogger();
    log.info('mine', { message: 'theirs', level: 11, time: 'noon' });
    t.match(parsed()[0], { level: 'info', message: 'mine', message_: 'theirs', level_: 11, time_: 'noon' });
  });

  await t.test('writes errors with their cause, dates, bytes and odd values readably', async (t) => {
    const { log, parsed } = consoleLogger();
    log.error('all', {
      error: new TypeError('outer', { cause: Object.assign(new Error('inner'), { code: 'ENOENT' }) }),
      at: new Date(0),
      body: new Uint8Array(12),
      set: new Set([1]),
      map: new Map([[1, 'one']]),
      url: new URL('https://example.com/a'),
      big: 10n,
      infinite: Number.POSITIVE_INFINITY,
      run: () => {},
      ['__proto__']: 'a name like any other',
    });
    t.match(parsed()[0], {
      error: { name: 'TypeError', message: 'outer', stack: /logger\.test/, cause: { name: 'Error', message: 'inner', code: 'ENOENT' } },
      at: '1970-01-01T00:00:00.000Z',
      body: '[12 bytes]',
      set: [1],
      map: { 1: 'one' },
      url: 'https://example.com/a',
      big: '10',
      infinite: 'Infinity',
      run: '[function]',
    });
    t.ok(Object.hasOwn(parsed()[0] ?? {}, '__proto__'));
  });

  await t.test('limits the size of a line, whatever it receives', async (t) => {
    const { log, text } = consoleLogger();
    const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`field ${i}`, 'y'.repeat(2000)]));
    let deep: unknown = 'bottom';
    for (let i = 0; i < 10_000; i++) deep = [deep];
    log.info('x'.repeat(100_000), { ...wide, wide: [wide, wide], deep });
    t.ok(text().length < 200_000, `${text().length} characters`);
    t.match(text(), /more\]/);
    log.info('deep', { deep });
    t.match(text(), /\[deeper\]/);
  });

  await t.test('reports a failure to log, and does not throw when the stream throws', async (t) => {
    const { log, parsed } = consoleLogger();
    const fields = {
      get trap(): never {
        throw new Error('sprung');
      },
    };
    log.info('field', fields);
    t.match(parsed()[0], { level: 'info', message: 'field', unlogged: 'Error: sprung' });

    const broken = new ConsoleLogger({
      clock: new ManualClock(),
      stream: {
        write() {
          throw new Error('gone');
        },
      },
    });
    broken.error('into the void');
    t.pass('it did not throw');
  });
});

function consoleLogger(options: Partial<ConsoleLoggerOptions> = {}) {
  let text = '';
  const log = new ConsoleLogger({ clock: new ManualClock(), stream: { write: (line) => (text += line) }, ...options });
  const parsed = () =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, text: () => text, parsed };
}
