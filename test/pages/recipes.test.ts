import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { startPlatform } from '#core/testing';
import { turnSchema, turnTypes } from '../../core/turns/turn.js';
import { channels, outboundPayloadSchema } from '../../plugins/channels/plugin.js';
import { messageTypes } from '../../plugins/channels/schemas.js';
import { messages } from '../../plugins/messages/plugin.js';
import { channelInboundSchema, inboundEventSchema, sentEventSchema, statusEventSchema, webhooks } from '../../plugins/webhooks/plugin.js';
import { startSandbox } from '../../sandbox/compose.js';
import type { Seed } from '../../sandbox/demo/seed.js';
import { renewals } from '../../sandbox/recipes/renewals.js';
import { watch } from '../../sandbox/recipes/watch.js';
import { thrownTable } from '../../scripts/docs/recipes/plugins.js';
import { recipeParts } from '../../scripts/docs/recipes/recipes.js';
import { onlyLong } from '../forms.js';
import { startChannel } from '../plugins/channels/channel-under-test.js';
import { blocksOf, sampleJson } from './samples.js';

const MESSAGES = 'sandbox/recipes/messages.md';
const WEBHOOKS = 'sandbox/recipes/webhooks.md';

// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever a page shows
const bodiesOf = (file: string, prefix: string): any[] =>
  blocksOf(file)
    .filter(({ name }) => name.startsWith(`${prefix} `))
    .map(({ code }) => JSON.parse(code));

t.test('every body of the recipes runs on a platform, and the pages show what was sent and received', async (t) => {
  for (const { file, name, print } of recipeParts) {
    const { blocks } = await print();
    t.ok(blocks.size > 0, `${file}: ${name}`);
    for (const [block, body] of blocks) t.strictSame(withoutRequest(sampleJson(file, block)), withoutRequest(body), `${file}: ${block}`);
  }
});

/** hapi names requests by the real time. */
const withoutRequest = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (key, value: unknown) => (key === 'request_id' ? 'a request' : value));

t.test('the recipes show every kind of turn, of message a connector posts, and of message and status a webhook receives', async (t) => {
  const turns = [...bodiesOf(MESSAGES, 'deliver').map(({ turn }) => turn), ...bodiesOf(MESSAGES, 'turn')];
  const interactive = (bodies: { interactive?: { type: string } }[]) => new Set(bodies.flatMap((body) => body.interactive?.type ?? []));
  t.strictSame([...new Set(turns.map(({ type = 'template' }) => type))].sort(), [...turnTypes].sort());
  t.strictSame([...interactive(turns)].sort(), ['button', 'flow', 'list']);
  for (const turn of turns) t.equal(turnSchema.validate(turn).error, undefined, JSON.stringify(turn));

  const inbound = bodiesOf(MESSAGES, 'inbound').map(({ message }) => message);
  t.strictSame([...new Set(inbound.map(({ type }) => type))].sort(), [...messageTypes].sort());
  t.strictSame([...interactive(inbound)].sort(), ['button_reply', 'list_reply', 'nfm_reply']);

  const events = bodiesOf(WEBHOOKS, 'event');
  const types = new Set(events.flatMap(({ messages = [] }) => messages.map(({ type }: { type: string }) => type)));
  const message = inboundEventSchema.extract('messages').describe().items[0];
  t.strictSame([...types].sort(), message.keys.type.allow.toSorted());
  const statuses = events.flatMap(({ statuses = [] }) => statuses.map(({ status }: { status: string }) => status));
  t.strictSame([...new Set(statuses)].sort(), ['delivered', 'failed', 'read', 'sent']);
});

t.test('payloads of the recipes fit the schemas that the package exports', async (t) => {
  for (const body of bodiesOf(MESSAGES, 'deliver')) t.equal(outboundPayloadSchema.validate(body).error, undefined);
  for (const { name, code } of blocksOf(WEBHOOKS).filter((block) => block.name.startsWith('event '))) {
    const body = JSON.parse(code);
    const schema = body.statuses
      ? statusEventSchema
      : body.messages
        ? inboundEventSchema
        : body.turn
          ? outboundPayloadSchema
          : body.contact
            ? channelInboundSchema
            : sentEventSchema;
    t.equal(schema.validate(body).error, undefined, name);
  }
});

t.test('a sandbox starts with the seed of the recipes', async (t) => {
  const sandbox = await startSandbox({ seed: sampleJson('sandbox/recipes/admin.md', 'seed') as Seed, seedKey: 'recipes' });
  t.teardown(() => sandbox.stop());
  t.match(sandbox, { numbers: [{ address: '+27600000001' }, { address: 'web:shop' }], journeys: [{ name: 'Greeter' }] });
});

const folder = mkdtempSync(join(tmpdir(), 'posthorn-signature-'));
t.teardown(() => rmSync(folder, { recursive: true }));
const samples = 'sandbox/recipes/signature';

/** How each sample is run where its language is installed: what says so, what is done first, and the program. */
const languages = {
  TypeScript: { has: ['node', '--version'], run: ['node', join(import.meta.dirname, `../../${samples}/signature.js`)] },
  Python: { has: ['python3', '--version'], run: ['python3', `${samples}/signature.py`] },
  Go: {
    has: ['go', 'version'],
    first: ['go', 'build', '-o', join(folder, 'signature'), `${samples}/signature.go`],
    run: [join(folder, 'signature')],
  },
  Java: {
    has: ['javac', '-version'],
    first: ['javac', '-d', folder, `${samples}/Signature.java`],
    run: ['java', '-cp', folder, 'Signature'],
  },
  PHP: { has: ['php', '--version'], run: ['php', `${samples}/signature.php`] },
  Ruby: { has: ['ruby', '--version'], run: ['ruby', `${samples}/signature.rb`] },
} as const;

for (const [language, about] of Object.entries(languages)) {
  const [has, ...version] = about.has;
  const isThere = spawnSync(has, version).status === 0;
  const skip =
    (['TypeScript', 'Python'].includes(language) ? false : onlyLong) ||
    (isThere ? false : `${language} is not installed here: there is no '${has}'`);
  t.test(`the sample in ${language} takes a signature of Posthorn, and refuses every other`, { skip }, async (t) => {
    const { post, send, settle, deliveries, webhook } = await startChannel(t);
    await post({
      contact: { id: '+27820001001', profile: { name: 'Ann' } },
      message: { type: 'text', from: '+27820001001', id: 'in-1', timestamp: '1767600000', text: { body: 'hi' } },
    });
    await send({ type: 'text', text: { body: 'Grüße 👋 "and" \\ more' } });
    await settle();
    const { text: body, headers } = deliveries().at(-1)!;
    const given = headers['x-svc-hook-signature']!;
    if ('first' in about) execFileSync(about.first[0], about.first.slice(1), { stdio: ['ignore', 'ignore', 'pipe'] });
    const says = (secret: string, input: string, header: string): string => {
      const [program, ...args] = about.run;
      const env = { ...process.env, POSTHORN_SECRET: secret };
      return execFileSync(program, [...args, header], { input, env, encoding: 'utf8' }).trim();
    };
    t.equal(says(webhook.secret, body, given), 'signed');
    t.equal(says('another secret', body, given), 'not signed', 'another secret');
    t.equal(says(webhook.secret, body.replace('more', 'less'), given), 'not signed', 'a changed body');
    t.equal(says(webhook.secret, JSON.stringify(JSON.parse(body), null, 1), given), 'not signed', 'a body that was written again');
    t.equal(says(webhook.secret, body, `${given.slice(0, -4)}AAA=`), 'not signed', 'a wrong signature');
    t.equal(says(webhook.secret, body, ''), 'not signed', 'no signature');
  });
}

t.test('clients of the plugin that throws receive what its page says', async (t) => {
  t.match(await thrownTable(), /`new Conflict\('book_reserved'[^|]*\| 409 \|/);
  const { call, number } = await startPlatform(t, { plugins: [renewals()] });
  const { token } = await number('network');
  t.match(await call('POST', '/v1/renewals/owl', { token }), { status: 200, body: { due: '2026-01-12' } });
  t.match(await call('POST', '/v1/renewals/offline', { token }), { status: 503, headers: { 'retry-after': 30 } });
});

t.test('the plugin that listens receives typed events in code', async (t) => {
  const lines: string[] = [];
  const plugins = [channels(), webhooks(), messages(), watch({ write: (line) => void lines.push(line) })];
  const { post, call, token, report, settle } = await startChannel(t, { plugins });
  await post(sampleJson('plugins/channels/README.md', 'message'));
  await call('POST', '/v1/messages', { token, payload: sampleJson('plugins/channels/README.md', 'send') });
  await settle();
  await report('out-1', 'delivered');
  await settle();
  t.strictSame(lines, ['+27820001001 wrote to Library: text', 'delivery delivered', '+27820001001: delivered']);
});
