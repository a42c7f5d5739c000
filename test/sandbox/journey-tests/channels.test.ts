import t from 'tap';
import { cafe, folderWith, runCommand } from './runs.js';

const SMOKE = ['--name', 'a new contact chooses a language, says a name and reads the opening hours'];
const NAMES = ['network', 'cloud-api', 'connector', 'webchat', 'telegram', 'sms', 'email'];

t.test('the demo journey has the same texts and options on all channels', async (t) => {
  const { code, out, err } = await runCommand('sandbox/demo', '--channels', 'all', '--json', ...SMOKE);
  t.equal(code, 0, `${out}\n${err}`);
  const [{ channels }] = JSON.parse(out).files[0].tests;
  t.strictSame(
    channels.map(({ channel }: { channel: string }) => channel),
    NAMES,
  );
  for (const { channel, steps } of channels) {
    t.equal(steps.length, 5, channel);
    t.match(steps[1], { said: 'English', seen: [{ text: 'What may I call you?', options: [] }] }, channel);
    t.match(steps[4].seen.at(-1).text, /^Goodbye, Ann\./, channel);
  }
});

const menu = `tests:
  - name: a table
    steps: [{ say: hi }, { tap: A table }, { say: 2 }]
  - name: the weather
    http_mocks: [{ url: "https://weather.test/*" }]
    steps: [{ say: hi }, { tap: Weather }]
`;

t.test('it prints a line for each channel, says what differs by nature, and leaves out what needs mocks', async (t) => {
  const folder = folderWith(t, { 'cafe.md': cafe, 'cafe.test.yaml': menu });
  const { code, out } = await runCommand(folder, '--channels', 'webchat,sms');
  t.equal(code, 0, out);
  t.match(
    out,
    /^a table\n {2}✓ Web chat {2}3 turns, 3 messages\n {2}✓ SMS {7}3 turns, 3 messages; the same texts and options; numbers instead/,
  );
  t.match(out, /- the weather: left out, because it needs 'http_mocks'/);
  t.match(out, /1 conversation on 2 channels, 1 left out: no difference$/);
});

t.test('a channel of a file is played, and fails where it loses words, options or files', async (t) => {
  const broken = `import { playedNetwork } from '${new URL('../../../sandbox/journey-tests/channels/network.js', import.meta.url)}';
    const less = ({ text, options }) => ({ text: text.replace('What do you need?', ''), options: options.slice(1) });
    export const mine = { ...playedNetwork, name: 'mine', title: 'Mine', async open(test) {
      const person = await playedNetwork.open(test);
      return { ...person, seen: async () => (await person.seen()).map(less) };
    } };`;
  const folder = folderWith(t, { 'cafe.md': cafe, 'cafe.test.yaml': menu, 'mine.mjs': broken, 'none.mjs': 'export const a = 1;' });
  const { code, out } = await runCommand(folder, '--channels', 'network,./mine.mjs', '--name', 'a table');
  t.equal(code, 1);
  t.match(out, /✗ Mine {5}\d turns, \d messages; differs/);
  t.match(out, /after 'hi': the text is another one, from 'What do you need\?' on/);
  t.match(out, /after 'hi': the options are A table, Weather, not Opening hours, A table, Weather/);
  for (const [argv, message] of [
    [['--channels', 'telegramm'], /no channel 'telegramm'; did you mean 'telegram'/],
    [['--channels', './none.mjs'], /exports no PlayedChannel/],
    [['--channels', 'sms', '--watch'], /does not take --watch/],
  ] as const)
    await t.rejects(runCommand(folder, ...argv), { name: 'UsageError', message });
  const none = await runCommand(folder, '--channels', 'sms', '--name', 'the weather');
  t.equal(none.code, 2);
  t.match(none.err, /no test that can be played/);
});
