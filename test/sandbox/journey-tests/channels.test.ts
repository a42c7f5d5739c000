import t from 'tap';
import { cafe, folderWith, runCommand } from './runs.js';

const SMOKE = ['--name', 'a new contact chooses a language, says a name and reads the opening hours'];
const NAMES = ['network', 'cloud-api', 'connector', 'webchat', 'telegram', 'sms'];

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
