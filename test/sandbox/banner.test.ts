import { EventEmitter } from 'node:events';
import t from 'tap';
import type { Sandbox } from '../../sandbox/compose.js';
import { banner } from '../../sandbox/reports/banner.js';
import { keyHelp, listenForKeys } from '../../sandbox/terminal/keys.js';

const uuid = '359f9278-ae97-4220-aa03-b056c11e7a35';
const secret = 'eSzM8btZr_CFYOxtrRbYngfe9sXUJe7t121accUqf8E';
const api = 'http://127.0.0.1:64100';

const library = {
  api,
  admin: { url: `${api}/admin/v1`, key: 'pha_B3scNRMUjdVNTIaxCNjEppwbAZEO9RwG' },
  numbers: [
    { uuid: 'n', kind: 'network', name: 'Riverside Library', address: '+27600000001', token: `ph_n${secret}` },
    { uuid, kind: 'channel', name: 'Riverside Library on the web', address: 'web:library', token: `ph_c${secret}` },
  ],
  channels: [
    { uuid, name: 'Riverside Library on the web', webhook: { uuid, hmac_secret: `c${secret}` }, endpoint: 'http://127.0.0.1:45089' },
  ],
  webhooks: [
    { uuid, number: uuid, name: 'Receiver', url: 'http://127.0.0.1:37539', subscriptions: ['msgapp'], hmac_secret: `w${secret}` },
    { uuid: 'w', number: 'n', name: 'Receiver', url: 'http://127.0.0.1:37539', subscriptions: ['msgapp'], hmac_secret: `v${secret}` },
  ],
  journeys: [
    { uuid, name: 'Riverside Library', number: uuid },
    { uuid: 'j', name: 'Riverside Library', number: 'n' },
  ],
  phone: 'http://127.0.0.1:45089/phone',
  isResumed: false,
  withoutToken: [],
  clock: { isPaused: false },
  changedOptions: [{ path: 'webhooks.inboundOnChannel', value: true, default: false }],
} as unknown as Sandbox;

const shown = (sandbox: Sandbox, more: { data?: string; isColoured?: boolean } = {}): string[] =>
  banner(sandbox, { data: more.data, readyMs: 512, isColoured: more.isColoured ?? false });

t.test('the banner shows every address, token and secret, and commands to try', async (t) => {
  const text = shown(library).join('\n');
  const expected = [
    `${api}/v1`,
    `${api}/docs`,
    library.admin.url,
    library.admin.key,
    ...library.numbers.flatMap(({ name, address, token }) => [name, address, token]),
    ...library.channels.flatMap(({ uuid, endpoint, webhook }) => [uuid, endpoint, webhook.hmac_secret]),
    ...library.webhooks.flatMap(({ url, hmac_secret }) => [url, hmac_secret]),
    ...library.journeys.map(({ uuid }) => uuid),
    'npx posthorn send "hi"',
    'npx posthorn tail',
    '512 ms',
    'state in memory',
  ];
  for (const what of expected) t.ok(text.includes(what), what);
});

t.test('a number on the Cloud API has the webhook to register, and the first line does not deny the network', async (t) => {
  const webhook = `${api}/cloud-api/webhooks/106540352242922`;
  const [number, ...others] = library.numbers;
  const lines = shown({ ...library, numbers: [{ ...number!, webhook }, ...others] });
  t.match(lines[1], /1 number on the Cloud API, state in memory/);
  t.notMatch(lines[1], /no network/);
  t.equal(lines.filter((line) => line.includes(webhook)).length, 1);
});

t.test('the banner fits in 100 columns', async (t) => {
  t.strictSame(
    shown(library).filter((line) => line.length > 100),
    [],
  );
});

t.test('without the demo the banner suggests curl instead of posthorn send', async (t) => {
  const empty = { ...library, numbers: [], channels: [], webhooks: [], journeys: [], phone: undefined };
  t.notMatch(shown(empty).join('\n'), /posthorn send/);
  t.match(shown(empty).join('\n'), /curl -H "authorization: Bearer pha_/);
});

t.test('the banner has the address of the page with the web chat, if there is one', async (t) => {
  t.notMatch(shown(library).join('\n'), /Chat in a page/);
  const number = { ...library.numbers[1]!, address: 'webchat:library' };
  t.match(shown({ ...library, numbers: [...library.numbers, number] }).join('\n'), `Chat in a page: ${api}/chat`);
});

t.test('the banner marks invalid tokens only', async (t) => {
  const marked = shown({ ...library, withoutToken: ['n'] }).filter((line) => line.includes('no longer valid'));
  t.strictSame(
    marked.map((line) => line.trim().split(/\s+/)[1]),
    [`ph_n${secret}`],
  );
});

t.test('the banner shows a paused clock and the command that moves it', async (t) => {
  t.notMatch(shown(library).join('\n'), /clock/);
  const clock = { isPaused: true, now: () => new Date('2026-01-05T08:00:00Z') };
  const lines = shown({ ...library, clock } as unknown as Sandbox);
  t.match(lines.join('\n'), /clock is stopped at 2026-01-05T08:00:00.000Z[\s\S]*npx posthorn clock next /);
  t.ok(lines.every((line) => line.length <= 100));
});

t.test('the banner says where the state is, and whether it was resumed', async (t) => {
  t.match(shown(library, { data: './d' })[1], /state in \.\/d$/);
  t.match(shown({ ...library, isResumed: true }, { data: './d' })[1], /state in \.\/d, resumed$/);
});

t.test('no two lines are alike: each says what it belongs to', async (t) => {
  const withoutIds = shown(library)
    .filter((line) => line.trim() !== '')
    .map((line) => line.replace(/[\w-]{32,}/g, '').trim());
  const heads = withoutIds.filter((line) => !/^(uuid|token|secret|key) /.test(`${line} `));
  t.strictSame(
    heads.filter((line, i) => heads.indexOf(line) !== i),
    [],
  );
  t.match(
    heads.join('\n'),
    /Webhook +http:\/\/127.0.0.1:37539 +for web:library[\s\S]*Webhook +http:\/\/127.0.0.1:37539 +for \+27600000001/,
  );
});

t.test('the banner shows options that differ from the default, and the keys', async (t) => {
  t.match(shown(library).join('\n'), /Option +webhooks.inboundOnChannel=true +default false/);
  const keys = keyHelp({ q: { does: 'to stop', press() {} } });
  t.match(banner(library, { data: undefined, isColoured: false, keys }).join('\n'), /sandbox is running[\s\S]*Press q to stop\./);
});

t.test('keys run their actions, and Ctrl-C interrupts', async (t) => {
  const input = Object.assign(new EventEmitter(), { isTTY: true, modes: [] as boolean[] });
  const setRawMode = (isRaw: boolean) => input.modes.push(isRaw);
  const pressed: string[] = [];
  const keys = { a: { does: 'for a', press: () => pressed.push('a') } };
  const restore = listenForKeys(Object.assign(input, { setRawMode }), keys, () => pressed.push('interrupt'));
  input.emit('data', Buffer.from('ab\u0003'));
  restore();
  t.strictSame(pressed, ['a', 'interrupt']);
  t.strictSame(input.modes, [true, false]);
  t.equal(typeof listenForKeys(new EventEmitter(), keys, () => undefined), 'function', 'without a terminal there are no keys');
});

t.test('only terminals get colours', async (t) => {
  t.notMatch(shown(library).join(''), '\u001b');
  t.match(shown(library, { isColoured: true }).join(''), '\u001b[1m');
});
