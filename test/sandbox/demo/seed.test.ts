import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import { startPlatform } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { checkNotebook } from '../../../plugins/journeys/engine/notebook/check-notebook.js';
import { journeys, journeysService } from '../../../plugins/journeys/plugin.js';
import { network } from '../../../plugins/network/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { applySeed } from '../../../sandbox/demo/apply-seed.js';
import { demoSeed } from '../../../sandbox/demo/demo.js';
import { type Seed, seedFrom } from '../../../sandbox/demo/seed.js';

const listening = (url: string) => ({ url, send: async () => {} });
const demo = demoSeed({
  connector: listening('http://127.0.0.1:1'),
  receiver: listening('http://127.0.0.1:2'),
  integration: listening('http://127.0.0.1:3'),
});
const definition = JSON.parse(readFileSync('test/plugins/journeys/engine/clinic.journey.json', 'utf8')) as object;

const library: Seed = {
  numbers: [{ kind: 'network', address: '+27600000001', name: 'Library' }],
  channels: [{ from_addr: 'web:library', name: 'Library on the web', endpoint: 'http://127.0.0.1:9/' }],
  webhooks: [{ number: 'web:library', url: 'http://127.0.0.1:9/', subscriptions: ['msgapp', 'journey_outbound'] }],
  journeys: [{ number: 'web:library', name: 'Library', definition }],
};

const start = (t: Tap) => startPlatform(t, { plugins: [channels(), journeys(), network(), webhooks()] });

function fileWith(t: Tap, text: string, name = 'seed.json'): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-seed-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'library.json'), JSON.stringify(definition));
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

t.test('a seed becomes records, with a token for each number and a secret for each webhook', async (t) => {
  const { platform, call } = await start(t);
  const reported: unknown[] = [];
  const seeded = await applySeed(platform, seedFrom(library), (made) => reported.push(made));
  t.strictSame(reported, [seeded], 'the callback gets the records before the commit');
  t.match(seeded, {
    numbers: [
      { kind: 'network', address: '+27600000001', token: /^ph_/ },
      { kind: 'channel', address: 'web:library', token: /^ph_/ },
    ],
    channels: [{ uuid: seeded.numbers[1]?.uuid, webhook: { hmac_secret: /./ }, endpoint: 'http://127.0.0.1:9/' }],
    webhooks: [{ number: seeded.numbers[1]?.uuid, subscriptions: ['msgapp', 'journey_outbound'], hmac_secret: /./ }],
    journeys: [{ number: seeded.numbers[1]?.uuid, name: 'Library' }],
  });
  const token = seeded.numbers[1]!.token;
  t.equal((await call('POST', `/v1/numbers/${seeded.numbers[1]!.uuid}/messages`, { token, payload: {} })).status, 400, 'the token is good');
  t.match(await platform.service(journeysService).require(seeded.journeys[0]!.uuid), {
    revisions: { production: /./ },
    triggers: [{ on: 'message' }],
  });
});

t.test('a seed is read from a file, and its journey from a file next to it', async (t) => {
  const file = fileWith(
    t,
    JSON.stringify({ ...library, journeys: [{ number: 'web:library', name: 'Library', definition: 'library.json' }] }),
  );
  t.strictSame(seedFrom(file), seedFrom(library));
});

t.test('the uuid of a journey in a seed is stored in lower case', async (t) => {
  const { platform, admin } = await start(t);
  const uuid = '5C1E7A52-4A0E-4C55-9A43-1D0F52A7F001';
  const journeys = [{ uuid, number: 'web:library', name: 'Library', definition }];
  const seeded = await applySeed(platform, seedFrom({ ...library, journeys }), () => {});
  t.equal(seeded.journeys[0]?.uuid, uuid.toLowerCase());
  t.match(await admin('GET', `/journeys/${uuid}`), { status: 200, body: { journey: { uuid: uuid.toLowerCase(), name: 'Library' } } });
});

t.test('an empty seed creates no records', async (t) => {
  const { platform } = await start(t);
  t.strictSame(await applySeed(platform, seedFrom('empty'), () => {}), { numbers: [], channels: [], webhooks: [], journeys: [] });
});

t.test('errors of an invalid seed name the place and the reason', async (t) => {
  const number = { kind: 'network', address: '+27600000001', name: 'A' };
  const refused: [string, string, RegExp][] = [
    ['no JSON', '{ numbers', /seed\.json is not JSON: /],
    ['no object', '[]', /^the seed file .*seed\.json cannot be used: value must be of type object$/],
    ['unknown field', '{"number":[]}', /cannot be used: number is not allowed$/],
    [
      'unknown kind',
      JSON.stringify({ numbers: [{ ...number, kind: 'channel' }] }),
      /numbers\[0\]\.kind must be one of \[network, sandbox\]/,
    ],
    [
      'no phone number',
      JSON.stringify({ numbers: [{ ...number, address: '27600000001' }] }),
      /numbers\[0\]\.address must be an international phone number with its plus: \+27600000001$/,
    ],
    [
      'no URL',
      JSON.stringify({ webhooks: [{ number: '+27600000001', url: 'x', subscriptions: ['svc'] }] }),
      /webhooks\[0\]\.url must be a valid uri/,
    ],
    [
      'no subscription',
      JSON.stringify({ webhooks: [{ number: '+27600000001', url: 'http://x', subscriptions: [] }] }),
      /subscriptions must contain at least 1/,
    ],
    [
      'no journey file',
      JSON.stringify({ journeys: [{ number: '+27600000001', name: 'J', definition: 'none.json' }] }),
      /none\.json not found/,
    ],
    ['much that is wrong', JSON.stringify(Object.fromEntries('abcdefgh'.split('').map((name) => [name, 1]))), /; and 3 more$/],
  ];
  for (const [what, text, message] of refused) t.throws(() => seedFrom(fileWith(t, text)), { name: 'InvalidSeed', message }, what);
  t.throws(() => seedFrom('/nowhere/seed.json'), { name: 'InvalidSeed', message: /^\/nowhere\/seed\.json cannot be read: ENOENT/ });
});

t.test('a contradictory seed is refused, and none of its records is created', async (t) => {
  const { platform } = await start(t);
  const number = { kind: 'network' as const, address: '+27600000001', name: 'A' };
  const refused: [Seed, RegExp][] = [
    [{ numbers: [number, { ...number, kind: 'sandbox' }] }, /^the seed has \+27600000001 twice$/],
    [
      { webhooks: [{ number: '+27600000001', url: 'http://x', subscriptions: ['svc'] }] },
      /refers to number \+27600000001, which is not in its numbers or channels/,
    ],
    [
      { numbers: [number], webhooks: [{ number: '+27600000001', url: 'http://x', subscriptions: ['msgap'] }] },
      /'msgap'; known subscriptions: msgapp, svc, journey_outbound, channel/,
    ],
    [{ numbers: [number], journeys: [{ number: '+27600000001', name: 'J', definition: {} }] }, /^the journey 'J' cannot be published: /],
  ];
  for (const [seed, message] of refused) {
    await t.rejects(
      applySeed(platform, seedFrom(seed), () => t.fail('the callback was called without records')),
      { name: 'InvalidSeed', message },
    );
  }
  t.strictSame(await platform.numbers.list(), []);
});

const NOTEBOOK = 'trigger(on: "MESSAGE RECEIVED") when has_any_word(event.message.text.body, "hi")\ncard A do\n  text("Hello")\nend\n';

t.test('a journey of a seed is a notebook: the text itself, or the path of its file; its own triggers apply', async (t) => {
  const { platform } = await start(t);
  const journeys = [
    { number: 'web:library', name: 'In the seed', notebook: NOTEBOOK },
    { number: 'web:library', name: 'In a file', definition: 'hello.md' },
    { number: 'web:library', name: 'Without words', definition: 'hello.md', triggers: [{ on: 'message' }] },
  ];
  const file = fileWith(t, JSON.stringify({ ...library, journeys }));
  writeFileSync(join(dirname(file), 'hello.md'), `\ufeff${NOTEBOOK}`);
  const seeded = await applySeed(platform, seedFrom(file), () => {});
  const made = await Promise.all(seeded.journeys.map(({ uuid }) => platform.service(journeysService).require(uuid)));
  t.ok(made.every(({ revisions }) => revisions.production !== null));
  const guarded = { on: 'message', when: 'has_any_word(event.message.text.body, "hi")' };
  t.strictSame(
    made.map(({ triggers }) => triggers[0]),
    [guarded, guarded, { on: 'message' }],
  );
  t.equal((await platform.service(journeysService).revision(made[1]!.draft)).notebook, `\ufeff${NOTEBOOK}`, 'byte for byte');
});

t.test('a seed with a broken notebook is refused with the lines of its mistakes', async (t) => {
  const { platform } = await start(t);
  const journeys = [{ number: 'web:library', name: 'Broken', notebook: NOTEBOOK.replace('end', '') }];
  await t.rejects(
    applySeed(platform, seedFrom({ ...library, journeys }), () => {}),
    {
      message: /the journey 'Broken' cannot be published: line 2: /,
    },
  );
  t.throws(() => seedFrom({ ...library, journeys: [{ number: 'web:library', name: 'None' }] }), { message: /definition|notebook/ });
  const missing = fileWith(t, JSON.stringify({ ...library, journeys: [{ number: 'web:library', name: 'Gone', definition: 'gone.md' }] }));
  t.throws(() => seedFrom(missing), { message: /gone\.md not found/ });
});

t.test('the journey of the demo has no findings', async (t) => {
  for (const { notebook } of demo.journeys!) t.strictSame(checkNotebook(notebook!).findings, []);
  t.equal(demo.journeys!.length, 2);
});
