import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { type CollectionType, definePlugin, nullable, object, route, string } from '#core';
import type { OpenCollection } from '#core/ports';
import { ADMIN_KEY, MemoryStore, RecordingLogger, startPlatform, type Tap } from '#core/testing';
import { numbers } from '../../../core/messaging/number.js';
import { tokens } from '../../../core/messaging/token.js';
import { createTokens } from '../../../core/messaging/tokens.js';

/** The secrets that a platform with its own store needs. */
const secretKey = '0123456789abcdef'.repeat(4);
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** Returns the number of the token that a call came with. */
const whoami = definePlugin({
  name: 'whoami',
  version: '1.0.0',
  register: () => ({
    routes: [
      route({
        method: 'GET',
        path: '/v1/whoami',
        summary: 'Says who calls.',
        responses: { 200: object({ number: string(), token: string() }) },
        handler: ({ caller }) => ({ number: caller.number.uuid, token: caller.token.name }),
      }),
      route({
        method: 'GET',
        path: '/v1/anybody',
        auth: 'optional',
        summary: 'Says who calls, if anybody says.',
        responses: { 200: object({ number: nullable(string()) }) },
        handler: ({ caller }) => ({ number: caller?.number.uuid ?? null }),
      }),
      route({
        method: 'GET',
        path: '/v1/absent',
        auth: 'none',
        summary: 'Does not look.',
        responses: { 200: object({ number: nullable(string()) }) },
        handler: ({ caller }) => ({ number: (caller as { number: { uuid: string } } | undefined)?.number.uuid ?? null }),
      }),
    ],
  }),
})();

t.test('the number a call acts on comes from its token', async (t) => {
  const { call, number } = await startPlatform(t, { plugins: [whoami] });
  const [one, two] = [await number('network'), await number('sandbox')];
  t.match(await call('GET', '/v1/whoami', { token: one.token }), { status: 200, body: { number: one.uuid, token: 'test' } });
  t.match(await call('GET', '/v1/whoami', { token: two.token }), { body: { number: two.uuid } });
});

t.test('a token is opaque, and shown once', async (t) => {
  const { admin, call, clock, number } = await startPlatform(t, { plugins: [whoami] });
  const { uuid } = await number('network');
  await clock.advance(1);
  const { status, body } = await admin('POST', `/numbers/${uuid}/tokens`, { name: 'CI' });
  t.equal(status, 201);
  t.match(body.text, /^ph_[A-Za-z0-9_-]{43}$/, '32 bytes of entropy');
  t.notOk(body.text.includes(uuid));
  t.match(body.token, { number: uuid, name: 'CI' });
  t.equal(body.token.hint, body.text.slice(-10), 'only the last ten characters');
  t.match(await call('GET', '/v1/whoami', { token: body.text }), { status: 200, body: { token: 'CI' } });

  const listed = await admin('GET', `/numbers/${uuid}/tokens`);
  t.match(listed.body.tokens, [{ name: 'test' }, { name: 'CI', hint: body.token.hint }]);
  t.strictSame(
    Object.keys(listed.body.tokens[1]),
    ['uuid', 'number', 'name', 'hint', 'created_at', 'expires_at', 'last_used_at'],
    'nothing else',
  );
  t.notOk(JSON.stringify(listed.body).includes(body.text));
});

t.test('a token is stored hashed: its text is in no document, event or log line', async (t) => {
  const { platform, number, events, log } = await startPlatform(t, { plugins: [] });
  const { token } = await number('network');
  const [document] = await platform.store.open(tokens).list();
  t.match(document?.hash, /^[0-9a-f]{64}$/);
  t.notOk(JSON.stringify([document, events, log.lines]).includes(token));
});

t.test('on disk, neither a token nor the secret of a webhook can be read', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-tokens-'));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const { platform, number, server } = await startPlatform(t, { plugins: [], dataDir });
  const { uuid, token } = await number('network');
  const { secret } = await platform.store.transaction((tx) =>
    platform.webhooks.create(tx, { number: uuid, url: 'https://hook.test', name: 'hook', subscriptions: ['network'] }),
  );
  await server.stop();
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const written = files.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8')).join('\n');
  t.ok(written.includes(uuid), 'the folder has the number');
  t.notOk(written.includes(token));
  t.notOk(written.includes(secret));
});

t.test('a token expires after a year unless another time is given', async (t) => {
  const { admin, call, clock, number } = await startPlatform(t, { plugins: [whoami] });
  const { uuid, token } = await number('network');
  const made = clock.now();
  const soon = new Date(made.getTime() + 60_000).toISOString();
  const { body } = await admin('POST', `/numbers/${uuid}/tokens`, { name: 'soon over', expires_at: soon });
  t.equal(body.token.expires_at, soon);
  const works = async (token: string) => (await call('GET', '/v1/whoami', { token })).status === 200;

  await clock.advance(59_999);
  t.ok(await works(body.text));
  await clock.advance(1);
  t.notOk(await works(body.text));

  await clock.advanceTo(new Date(made.getTime() + YEAR_MS - 1));
  t.ok(await works(token));
  await clock.advance(1);
  t.notOk(await works(token));
});

t.test('an expiry is stored as the same time whatever its time zone, or is refused', async (t) => {
  const { admin, number } = await startPlatform(t, { plugins: [] });
  const { uuid } = await number('network');
  const make = (expires_at: unknown) => admin('POST', `/numbers/${uuid}/tokens`, { name: 'n', expires_at });
  for (const wrong of [
    '',
    'tomorrow',
    5,
    '2027',
    '2027-W05',
    '2027-13-01',
    '2027-02-30',
    '2027-02-29T10:00:00Z',
    '2027-03-01T10:00:00',
    '2027-03-01T10:00:00+02',
    '+012027-03-01',
  ]) {
    t.equal((await make(wrong)).status, 400, JSON.stringify(wrong));
  }
  t.equal((await make(null)).body.token.expires_at, (await make(undefined)).body.token.expires_at, 'null is the default');
  t.equal((await make('2028-02-29')).body.token.expires_at, '2028-02-29T00:00:00.000Z');
  t.equal((await make('2027-03-01')).body.token.expires_at, '2027-03-01T00:00:00.000Z');
  t.equal((await make('2027-03-01T10:00:00+02:00')).body.token.expires_at, '2027-03-01T08:00:00.000Z');
});

t.test('a revoked token stops working immediately, and no other token does', async (t) => {
  const { admin, call, number } = await startPlatform(t, { plugins: [whoami] });
  const { uuid, token } = await number('network');
  const other = await number('network');
  const [{ uuid: test }] = (await admin('GET', `/numbers/${uuid}/tokens`)).body.tokens;
  t.equal((await call('GET', '/v1/whoami', { token })).status, 200, 'it worked before');
  t.equal((await admin('DELETE', `/numbers/${other.uuid}/tokens/${test}`)).status, 404, 'it is not a token of this number');
  t.match(await admin('DELETE', `/numbers/${uuid}/tokens/${test}`), { status: 200, body: { success: true } });
  t.equal((await call('GET', '/v1/whoami', { token })).status, 401);
  t.equal((await call('GET', '/v1/whoami', { token: other.token })).status, 200);
  t.strictSame((await admin('GET', `/numbers/${uuid}/tokens`)).body.tokens, []);
  t.equal((await admin('DELETE', `/numbers/${uuid}/tokens/${test}`)).status, 404);
});

/** A store that counts reads of tokens and numbers, and can delay reads of numbers. */
class WatchedStore extends MemoryStore {
  reads = 0;
  gate: Promise<void> | undefined;

  override open<T extends object>(type: CollectionType<T>): OpenCollection<T> {
    const opened = super.open(type);
    return {
      ...opened,
      getBy: (...by) => {
        if ((type as unknown) === tokens) this.reads++;
        return opened.getBy(...by);
      },
      get: async (key) => {
        const found = await opened.get(key);
        if ((type as unknown) === numbers) {
          this.reads++;
          await this.gate;
        }
        return found;
      },
    };
  }
}

async function startWatched(t: Tap) {
  const store = new WatchedStore({ log: new RecordingLogger() });
  const { platform, number } = await startPlatform(t, { plugins: [], ports: { store }, secretKey });
  return { ...platform, records: store, number };
}

t.test('a caller is cached until a token or a number changes', async (t) => {
  const { records, store, tokens, numbers, number } = await startWatched(t);
  const { uuid, token } = await number('network');
  const caller = async () => (await tokens.caller(token))!;

  const first = await caller();
  records.reads = 0;
  t.equal(await caller(), first);
  t.equal(records.reads, 0);
  t.throws(() => Object.assign(first.number, { kind: 'channel' }), TypeError, 'requests share the caller and cannot change it');
  t.throws(() => Object.assign(first.token, { number: 'other' }), TypeError);
  t.throws(() => Object.assign(first, { number: null }), TypeError);

  await store.transaction((tx) => numbers.update(tx, uuid, { name: 'Renamed' }));
  t.equal((await caller()).number.name, 'Renamed');
  const [made] = await tokens.list(uuid);
  await store.transaction((tx) => tokens.revoke(tx, uuid, made!.uuid));
  t.equal(await tokens.caller(token), undefined);
});

t.test('a caller is not cached if something changed during its look-up', async (t) => {
  const { records, store, tokens, number } = await startWatched(t);
  const { uuid, token } = await number('network');
  const [made] = await tokens.list(uuid);
  let letGo = () => {};
  records.gate = new Promise((resolve) => (letGo = resolve));
  const asked = tokens.caller(token);
  while (records.reads < 2) await new Promise(setImmediate);
  await store.transaction((tx) => tokens.revoke(tx, uuid, made!.uuid));
  t.equal(await tokens.caller('of another number'), undefined, 'the change empties the cache');
  letGo();
  t.ok(await asked, 'this call started before the change');
  t.equal(await tokens.caller(token), undefined);
});

t.test('above the maximum of cached callers the oldest is evicted', async (t) => {
  const { records, ids, clock, ...platform } = await startWatched(t);
  const tokens = createTokens({ store: platform.store, ids, clock, maxCached: 2 });
  const [one, two, three] = [await platform.number('network'), await platform.number('network'), await platform.number('network')];
  const lookUps = async ({ token }: { token: string }): Promise<number> => {
    const before = records.reads;
    t.ok(await tokens.caller(token));
    return records.reads - before;
  };
  for (const number of [one, two, three]) t.equal(await lookUps(number), 2);
  for (const number of [three, two]) t.equal(await lookUps(number), 0);
  t.equal(await lookUps(one), 2);
});

t.test('a host may add to the credentials of a request', async (t) => {
  const { server, call, number } = await startPlatform(t, { plugins: [whoami] });
  server.ext('onCredentials', ({ auth, headers }, h) => {
    const credentials = auth.credentials as { tenant?: string };
    t.equal(credentials.tenant, undefined, 'additions to another request are not in these');
    credentials.tenant = String(headers['x-tenant']);
    return h.continue;
  });
  const { uuid, token } = await number('network');
  for (const tenant of ['a', 'b']) {
    t.match(await call('GET', '/v1/whoami', { token, headers: { 'x-tenant': tenant } }), { status: 200, body: { number: uuid } });
  }
});

for (const [which, silent] of [
  ['tokens', [tokens]],
  ['numbers', [numbers]],
  ['tokens and numbers', [tokens, numbers]],
] as const) {
  t.test(`without revisions of ${which} in the store, no caller is cached`, async (t) => {
    class SilentStore extends MemoryStore {
      override open<T extends object>(type: CollectionType<T>): OpenCollection<T> {
        const { revision, ...opened } = super.open(type);
        return silent.some((one) => (one as unknown) === type) ? opened : { ...opened, ...(revision && { revision }) };
      }
    }
    const { platform, number } = await startPlatform(t, {
      plugins: [],
      ports: { store: new SilentStore({ log: new RecordingLogger() }) },
      secretKey,
    });
    const { token } = await number('network');
    const [one, other] = [await platform.tokens.caller(token), await platform.tokens.caller(token)];
    t.ok(one);
    t.not(one, other);
    t.strictSame(one, other);
  });
}

const denied = (details: string) => ({
  status: 401,
  headers: { 'www-authenticate': 'Bearer' },
  body: { errors: [{ code: 1005, title: 'Access denied', details }] },
});

t.test('a token that is missing, unknown, expired, revoked or garbage gets the same 401 in JSON', async (t) => {
  const { admin, call, clock, number, platform } = await startPlatform(t, { plugins: [whoami] });
  const { uuid, token } = await number('network');
  const issue = (expires?: Date) => platform.store.transaction((tx) => platform.tokens.issue(tx, uuid, 'n', expires));
  const expired = await issue(new Date(clock.now().getTime() + 1));
  const revoked = await issue();
  await admin('DELETE', `/numbers/${uuid}/tokens/${revoked.token.uuid}`);
  await clock.advance(1);

  const refusals = await Promise.all(
    [
      'Bearer ph_unknown',
      `Bearer ${expired.text}`,
      `Bearer ${revoked.text}`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token}x`,
      `Bearer ${token.toUpperCase()}`,
      `Bearer ${'x'.repeat(8_000)}`,
    ].map((authorization) => call('GET', '/v1/whoami', { headers: { authorization } })),
  );
  for (const { status, headers, body } of refusals) {
    t.equal(status, 401);
    t.equal(headers['www-authenticate'], 'Bearer');
    t.match(headers['content-type'], /^application\/json/);
    t.strictSame(body, {
      errors: [
        { code: 1005, title: 'Access denied', details: 'The token is not valid: it is unknown, expired or revoked', cause: 'unauthorized' },
      ],
    });
  }
  t.match(await call('GET', '/v1/whoami'), denied('This call needs a token: send the header Authorization: Bearer <token>'));
  t.equal(
    (await call('GET', '/v1/whoami', { headers: { authorization: `bearer   ${token}` } })).status,
    200,
    'the scheme is case-insensitive',
  );
});

const CANNOT_BE_READ = 'The Authorization header cannot be read: send Authorization: Bearer';

t.test('the 401 for a valid token without Bearer, or with more text, says how to write the header', async (t) => {
  const { call, number } = await startPlatform(t, { plugins: [whoami] });
  const { token } = await number('network');
  const basic = `Basic ${Buffer.from(`user:${token}`).toString('base64')}`;
  for (const authorization of [token, `Token ${token}`, basic, `Bearer: ${token}`, `Bearer ${token} ${token}`, 'Bearer', 'Bearer ', '']) {
    const ask = (path: string) => call('GET', path, { headers: { authorization } });
    t.match(await ask('/v1/whoami'), denied(`${CANNOT_BE_READ} <token>`), authorization);
    t.match(await ask('/v1/anybody'), denied(`${CANNOT_BE_READ} <token>, or leave it out`), authorization);
  }
  for (const authorization of [ADMIN_KEY, `Bearer ${ADMIN_KEY} x`, '']) {
    const key = await call('GET', '/admin/v1/numbers', { headers: { authorization } });
    t.match(key, denied(`${CANNOT_BE_READ} <admin key>`), authorization);
  }
  t.match(
    await call('GET', '/admin/v1/numbers'),
    denied('This call needs the admin key: send the header Authorization: Bearer <admin key>'),
  );
});

t.test('the 401 for the admin key in place of a token says which one to use', async (t) => {
  const { call } = await startPlatform(t, { plugins: [whoami] });
  const { status, body } = await call('GET', '/v1/whoami', { token: ADMIN_KEY });
  t.equal(status, 401);
  t.match(body.errors[0].details, /^This is the admin key, .* POST \/admin\/v1\/numbers\/<uuid>\/tokens/);
});

t.test('a route may require a token, accept one, or ignore it', async (t) => {
  const { call, number } = await startPlatform(t, { plugins: [whoami] });
  const { uuid, token } = await number('network');
  t.match(await call('GET', '/v1/anybody'), { status: 200, body: { number: null } });
  t.match(await call('GET', '/v1/anybody', { token }), { status: 200, body: { number: uuid } });
  t.equal((await call('GET', '/v1/anybody', { token: 'wrong' })).status, 401, 'an invalid one is refused');
  t.match(await call('GET', '/v1/absent', { token: 'wrong' }), { status: 200, body: { number: null } });
});

t.test('a body is not read before the token is known to be valid', async (t) => {
  const { call } = await startPlatform(t, { plugins: [whoami] });
  t.equal((await call('POST', '/admin/v1/numbers', { payload: '{not json', headers: { 'content-type': 'application/json' } })).status, 401);
});
