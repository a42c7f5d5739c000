import t from 'tap';
import { numeric, oneOf, readFlags, text, toggle, UsageError } from '../../sandbox/terminal/flags.js';

const flags = {
  port: numeric('PORT', 'a port', { from: 0, to: 65_535, integer: true }),
  wait: numeric('SECONDS', 'how long', { from: 0.1, to: 60, integer: false }),
  data: text('DIR', 'a folder'),
  clock: oneOf(['real', 'manual'], 'a clock'),
  json: toggle('JSON'),
};

t.test('flags become values, and whatever else there is becomes words', async (t) => {
  t.strictSame(readFlags(['hello', '--port', '0', 'there', '--json', '--data=./d', '--wait', '0.5', '--clock', 'manual'], flags), {
    values: { port: 0, json: true, data: './d', wait: 0.5, clock: 'manual' },
    words: ['hello', 'there'],
  });
  t.strictSame(readFlags([], flags), { values: {}, words: [] });
});

t.test('of a flag that comes twice the last one counts', async (t) => {
  t.strictSame(readFlags(['--port', '1', '--port', '2'], flags).values, { port: 2 });
});

t.test('what follows two dashes is words', async (t) => {
  t.strictSame(readFlags(['--json', '--', '--port', '-x'], flags), { values: { json: true }, words: ['--port', '-x'] });
});

t.test('a value may begin with a dash, and with two when it is joined to its flag', async (t) => {
  t.strictSame(readFlags(['--data', '-d'], flags).values, { data: '-d' });
  t.strictSame(readFlags(['--data=--d'], flags).values, { data: '--d' });
});

t.test('what is not understood is refused in words that name the flag', async (t) => {
  const refused: [string[], string][] = [
    [['--prot', '1'], 'there is no flag --prot'],
    [['-x'], 'there is no flag -x'],
    [['--constructor'], 'there is no flag --constructor'],
    [['--port'], '--port needs a value: --port PORT'],
    [['--port', '--json'], '--port needs a value: --port PORT'],
    [['--port', 'abc'], "--port takes a whole number from 0 to 65535, not 'abc'"],
    [['--port', '1.5'], "--port takes a whole number from 0 to 65535, not '1.5'"],
    [['--port', '70000'], "--port takes a whole number from 0 to 65535, not '70000'"],
    [['--port='], "--port takes a whole number from 0 to 65535, not ''"],
    [['--wait', '0'], "--wait takes a number from 0.1 to 60, not '0'"],
    [['--data', ' '], '--data must not be empty'],
    [['--clock', 'slow'], "--clock takes real or manual, not 'slow'"],
    [['--json=1'], '--json takes no value'],
  ];
  for (const [argv, message] of refused) t.throws(() => readFlags(argv, flags), new UsageError(message), argv.join(' '));
});
