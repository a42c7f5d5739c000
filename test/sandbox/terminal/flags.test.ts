import t from 'tap';
import { numeric, oneOf, readFlags, text, toggle, UsageError } from '../../../sandbox/terminal/flags.js';

const flags = {
  port: numeric('PORT', 'a port', { from: 0, to: 65_535, integer: true }),
  wait: numeric('SECONDS', 'how long', { from: 0.1, to: 60, integer: false }),
  data: text('DIR', 'a folder'),
  clock: oneOf(['real', 'manual'], 'a clock'),
  json: toggle('JSON'),
};

t.test('flags become values, and all other arguments become positionals', async (t) => {
  t.strictSame(readFlags(['hello', '--port', '0', 'there', '--json', '--data=./d', '--wait', '0.5', '--clock', 'manual'], flags), {
    values: { port: 0, json: true, data: './d', wait: 0.5, clock: 'manual' },
    positionals: ['hello', 'there'],
  });
  t.strictSame(readFlags([], flags), { values: {}, positionals: [] });
});

t.test('the last value of a repeated flag wins', async (t) => {
  t.strictSame(readFlags(['--port', '1', '--port', '2'], flags).values, { port: 2 });
});

t.test('arguments after two dashes are positionals', async (t) => {
  t.strictSame(readFlags(['--json', '--', '--port', '-x'], flags), { values: { json: true }, positionals: ['--port', '-x'] });
});

t.test('a value can start with a dash, and with two when written as --flag=value', async (t) => {
  t.strictSame(readFlags(['--data', '-d'], flags).values, { data: '-d' });
  t.strictSame(readFlags(['--data=--d'], flags).values, { data: '--d' });
});

t.test('errors name the wrong flag', async (t) => {
  const refused: [string[], string][] = [
    [['--prot', '1'], 'unknown flag --prot'],
    [['-x'], 'unknown flag -x'],
    [['--constructor'], 'unknown flag --constructor'],
    [['--port'], '--port needs a value: --port PORT'],
    [['--port', '--json'], '--port needs a value: --port PORT'],
    [['--port', 'abc'], "--port takes an integer from 0 to 65535, not 'abc'"],
    [['--port', '1.5'], "--port takes an integer from 0 to 65535, not '1.5'"],
    [['--port', '70000'], "--port takes an integer from 0 to 65535, not '70000'"],
    [['--port='], "--port takes an integer from 0 to 65535, not ''"],
    [['--wait', '0'], "--wait takes a number from 0.1 to 60, not '0'"],
    [['--data', ' '], '--data must not be empty'],
    [['--clock', 'slow'], "--clock takes real or manual, not 'slow'"],
    [['--json=1'], '--json takes no value'],
  ];
  for (const [argv, message] of refused) t.throws(() => readFlags(argv, flags), new UsageError(message), argv.join(' '));
});
