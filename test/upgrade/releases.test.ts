import { cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { verifySignature } from '#core';
import { ADMIN_KEY, ManualClock, ScriptedHttp, startPlatform, type Tap } from '#core/testing';
import { checkData } from '../../core/adapters/store/check/repair-data.js';
import { FORMAT } from '../../core/adapters/store/files/data-folder.js';
import { everything } from '../../scripts/docs/everything.js';
import { handshake, MEDIUM, plugins, SHOP_TOKEN } from '../../scripts/release-data/scenario.js';
import { shapesIn } from '../../scripts/release-data/shapes.js';
import { simulate, type Written } from '../../scripts/release-data/written.js';
import { freshFolder } from '../core/adapters/store/folders.js';

const ROOT = 'test/data';
const releases = readdirSync(ROOT).filter((name) => existsSync(join(ROOT, name, 'written.json')));
const MAX_BYTES = 300_000;

/** A copy of a data folder that a release wrote, and its known contents. */
function dataOf(t: Tap, release: string): { folder: string; written: Written } {
  const folder = freshFolder(t);
  cpSync(join(ROOT, release, 'data'), folder, { recursive: true });
  return { folder, written: JSON.parse(readFileSync(join(ROOT, release, 'written.json'), 'utf8')) };
}

/** Starts the current platform on a release's data folder, at the time of its writing. All receivers respond with success. */
async function upgraded(t: Tap, release: string) {
  const { folder, written } = dataOf(t, release);
  const clock = new ManualClock({ start: new Date(written.at) });
  let named = 0;
  const http = new ScriptedHttp({ clock })
    .answer('*', { body: {} })
    .answer('POST https://connector.test/*', () => ({ body: { messages: [{ id: named++ === 0 ? 'out-later' : `now-${named}` }] } }))
    .answer('GET https://shop.test/orders', { body: { order: 41 } })
    .answer('POST https://shop.test/context*', ({ url }) => ({ body: url.includes('handshake') ? handshake : { version: '1.0.0-alpha' } }));
  const test = await startPlatform(t, { plugins: plugins(), dataDir: folder, ports: { clock, http } });
  return { ...test, written, folder };
}

type Upgraded = Awaited<ReturnType<typeof upgraded>>;

const visitor = { contact: { id: '+27820002002', profile: { name: 'Bob' } }, from: '+27820002002' };

async function answer({ call, clock, written }: Upgraded, id: string, body: string) {
  const { contact, from } = visitor;
  const posted = await call('POST', `/v1/numbers/${written.numbers.desk}/messages`, {
    token: written.tokens.desk,
    payload: { contact, message: { type: 'text', from, id, timestamp: '1767600100', text: { body } } },
  });
  await clock.advance(0);
  return posted;
}

const texts = (http: ScriptedHttp): string[] => http.callsTo('https://connector.test/*').map(({ json }) => json.turn.text?.body);

t.test('every release has a data folder of a few documents here', async (t) => {
  t.ok(releases.length > 0);
  const files = readdirSync(ROOT, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const release of releases) {
    const own = files.filter(({ parentPath }) => `${parentPath}/`.startsWith(`${ROOT}/${release}/`));
    const bytes = own.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
    t.ok(bytes < MAX_BYTES, `${release} has ${bytes} bytes`);
  }
});

for (const release of releases) {
  t.test(`data of release ${release}`, async (t) => {
    t.test('has snapshots and a journal segment that is merged into none', async (t) => {
      const { folder } = dataOf(t, release);
      const report = await checkData(folder);
      t.strictSame(report.problems, []);
      t.ok(report.transactions > 0);
      t.ok(report.format! <= FORMAT);
    });

    t.test('shows every document as it was written', async (t) => {
      const { call, written } = await upgraded(t, release);
      for (const [path, body] of Object.entries(written.shown)) {
        const token = path.startsWith('/v1/') ? written.tokens.library : ADMIN_KEY;
        const answered = await call('GET', path.startsWith('/v1/') ? path : `/admin/v1${path}`, { token });
        t.equal(answered.status, 200, path);
        // Values of headers are secrets since 0.2.0.
        const shown = JSON.parse(JSON.stringify(body), (key, value) => (path.startsWith('/webhooks') && key === 'x-own' ? '…' : value));
        t.match(answered.body, shown, path);
      }
    });

    t.test('accepts its tokens, except the revoked one', async (t) => {
      const { call, written } = await upgraded(t, release);
      const { library, desk, revoked } = written.tokens;
      t.equal((await call('GET', '/v1/flows', { token: library })).status, 200);
      t.equal((await call('POST', `/v1/numbers/${written.numbers.desk}/messages`, { token: desk, payload: {} })).status, 400);
      t.equal((await call('GET', '/v1/flows', { token: revoked })).status, 401);
    });

    t.test('signs with its webhook secrets, and with the previous secret of a rotated one', async (t) => {
      const { admin, clock, http, written } = await upgraded(t, release);
      await admin('POST', `/network/numbers/${written.numbers.library}/messages`, {
        ...{ from: '27820001001', name: 'Ann', id: 'in-new', type: 'text', text: { body: 'hello again' } },
      });
      await clock.advance(0);
      const { owner } = written.webhooks;
      const received = http.callsTo('https://owner.test/*').at(-1)!;
      t.match(received.json.messages, [{ text: { body: 'hello again' } }]);
      t.ok(verifySignature(owner.secret, received.body, received.headers['x-svc-hook-signature']));
      t.ok(verifySignature(written.previousSecret, received.body, received.headers['x-svc-hook-signature-previous']));
      t.equal(received.headers['x-own'], '1');
    });

    t.test('delivers a pending retry when it is due, and repeats an attempt that a crash cut off', async (t) => {
      const { clock, http, written } = await upgraded(t, release);
      const { retrying, hanging } = written.webhooks;
      await clock.advance(0);
      t.equal(http.callsTo('https://retrying.test/*').length, 0, 'not sent before it is due');
      const [again] = http.callsTo('https://hanging.test/*');
      t.ok(verifySignature(hanging.secret, again!.body, again!.headers['x-svc-hook-signature']));
      await clock.advance(20_000);
      const retried = http.callsTo('https://retrying.test/*');
      t.ok(retried.length >= 1);
      for (const { body, headers } of retried) t.ok(verifySignature(retrying.secret, body, headers['x-svc-hook-signature']));
    });

    t.test('keeps the deliveries of a paused webhook, and sends them in order when it is resumed', async (t) => {
      const { admin, clock, http, written } = await upgraded(t, release);
      await clock.advance(1_000);
      t.equal(http.callsTo('https://paused.test/*').length, 0);
      t.equal((await admin('POST', `/webhooks/${written.webhooks.paused.uuid}/resume`)).status, 200);
      await clock.advance(1_000);
      t.strictSame(
        http.callsTo('https://paused.test/*').flatMap(({ json }) => json.messages?.[0].text.body ?? []),
        ['Is this heard?', 'Late'],
      );
    });

    t.test('continues a parked session with the reply of its contact, and its request has the secret of the number', async (t) => {
      const test = await upgraded(t, release);
      t.equal((await answer(test, 'visit-now', 'Paris')).status, 200);
      const [order] = test.http.callsTo('GET https://shop.test/orders');
      t.equal(order?.headers.authorization, `Bearer ${SHOP_TOKEN}`);
      await test.clock.advance(30_000);
      t.strictSame(texts(test.http), ['Goodbye Bob of Paris, order 41', 'Are you there?']);
    });

    t.test('starts a journey at its planned time', async (t) => {
      const { clock, http } = await upgraded(t, release);
      await clock.advance(2 * 60 * 60 * 1000);
      t.ok(texts(http).includes('This is your reminder'));
    });

    t.test('records a status that arrived before its message id once the connector names the id', async (t) => {
      const { admin, clock } = await upgraded(t, release);
      await clock.advance(30_000);
      t.match((await admin('GET', '/messages/out-later')).body, { message: { status: 'sent' } });
    });

    t.test('remembers the conversation of an agent', async (t) => {
      const { admin, clock, platform, written } = await upgraded(t, release);
      await admin('POST', `/network/numbers/${written.numbers.library}/messages`, {
        ...{ from: '27820001001', name: 'Ann', id: 'in-again', type: 'text', text: { body: 'and again?' } },
      });
      await clock.advance(1_000);
      const [newest] = (await platform.conversations.newest(written.conversation, 10)).filter(({ direction }) => direction === 'outbound');
      t.match(newest?.content, { text: { body: 'How can I help?' } });
      const { ai_calls } = (await admin('GET', `/ai-calls?number=${written.numbers.library}`)).body;
      t.ok(ai_calls.length > (written.shown[`/ai-calls?number=${written.numbers.library}`] as { ai_calls: [] }).ai_calls.length);
    });

    t.test('continues a simulation with its mocks', async (t) => {
      const test = await upgraded(t, release);
      const body = await simulate(test, test.written, { input: 'London' });
      t.match(body, { state: 'end', message: 'Goodbye Ada of London, order 1', http_calls: [{ mocked: true, status: 200 }] });
    });

    t.test('serves the bytes of its media, and its pages', async (t) => {
      const { call, written } = await upgraded(t, release);
      t.match(await call('GET', `/v1/media/${written.medium}`, { token: written.tokens.library }), { status: 200, body: MEDIUM });
      for (const page of Object.values(written.pages)) t.equal((await call('GET', page)).status, 200, page);
    });

    t.test('calls an integration with its token and signature, and accepts the end of a clicked action', async (t) => {
      const { admin, call, clock, http, written } = await upgraded(t, release);
      const { uuid, secret, token, click } = written.integration;
      await admin('GET', `/conversations/${written.conversation}`);
      await clock.advance(0);
      const [asked] = http.callsTo('POST https://shop.test/context');
      t.equal(asked?.headers.authorization, `Bearer ${token}`);
      t.ok(verifySignature(secret, asked!.body, asked!.headers['x-svc-hook-signature']));
      const payload = { integration_action_uuid: click };
      t.equal((await call('POST', `/api/integrations/${uuid}/notify/finish`, { payload })).status, 201);
    });

    t.test('ends a typing indicator when its time is over', async (t) => {
      const { clock, events } = await upgraded(t, release);
      await clock.advance(30_000);
      t.match(
        events.filter(({ name }) => name === 'typing.ended'),
        [{ data: { reason: 'time' } }],
      );
    });

    t.test('keeps new writes across another start', async (t) => {
      const first = await upgraded(t, release);
      await answer(first, 'visit-now', 'Paris');
      await first.server.stop();
      const { platform } = await startPlatform(t, { plugins: plugins(), dataDir: first.folder, ports: { clock: first.clock } });
      const { desk, library } = first.written.numbers;
      t.match(await platform.messages.known(desk, 'inbound', 'visit-now'), { content: { text: { body: 'Paris' } } });
      t.ok(await platform.messages.known(library, 'inbound', 'in-1'));
    });
  });
}

/** Collections added after the newest release; the next release has documents in them. */
const UNRELEASED = [
  ...[
    'core.chunks',
    'core.chunk-uses',
    'core.connections',
    'core.choices',
    'core.uploads',
    'core.contact-aliases',
    'core.contact-merges',
    'core.remote-ids',
    'core.advice',
    'core.alerts',
    'core.media-links',
    'core.accounts',
    'core.erasures',
    'core.audit',
    'core.admin-keys',
    'core.message-counts',
    'core.endpoints',
    'core.marks',
    'core.settled-deliveries',
    'core.outbox',
  ],
  'channels.earlier-ids',
  ...['connections', 'pendingSends', 'earlyStatuses', 'contactAliases', 'uploads', 'issuedAdvice', 'flowPositions', 'templateExtras'].map(
    (name) => `cloud-api.${name}`,
  ),
  'email.positions',
  'email.issuedAdvice',
  'journeys.traffic',
  'messages.idempotency-keys',
  'messages.claims',
  'sms.parts',
  'sms.issuedAdvice',
  'telegram.positions',
  'telegram.issuedAdvice',
  'webchat.sessions',
  'webchat.uploads',
];

t.test('the newest release has documents in every collection that is not newer', async (t) => {
  const found = Object.keys(await shapesIn(join(ROOT, releases.at(-1)!, 'data')));
  const there = [...(await everything()).collections.values()].flatMap(Object.keys);
  t.strictSame(
    [...there, 'core.jobs', 'core.secrets', 'sandbox.made'].filter((name) => !found.includes(name)),
    UNRELEASED,
  );
});
