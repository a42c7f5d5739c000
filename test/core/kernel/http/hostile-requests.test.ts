import fc from 'fast-check';
import t from 'tap';
import { ADMIN_KEY } from '#core/testing';
import { channels } from '../../../../plugins/channels/plugin.js';
import { journeys } from '../../../../plugins/journeys/plugin.js';
import { simulation } from '../../../../plugins/simulation/plugin.js';
import { webhooks } from '../../../../plugins/webhooks/plugin.js';
import { codePoint } from '../../../../scripts/fuzz/code-point.js';
import { anyJson, type Json, mutated, mutations, words } from '../../../../scripts/fuzz/mutations.js';
import { runs } from '../../../forms.js';
import { type ChannelUnderTest, startChannel } from '../../../plugins/channels/channel-under-test.js';
import { validBodies } from '../../admin/valid-bodies.js';

const SEED = 20260105;
const HANG_MS = 5_000;

interface HostileRequest {
  readonly method: string;
  readonly segments: readonly string[];
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

const wellFormed = (text: string): string => Buffer.from(text).toString();
const nested = (open: string, close: string, levels: number): string => `${open.repeat(levels)}1${close.repeat(levels)}`;

const nearTo = (valid: Json): fc.Arbitrary<string> =>
  mutations.map((changes) => JSON.stringify(changes.reduce((body, change) => mutated(body, change), valid)));

const bodies = (valid: Json): fc.Arbitrary<HostileRequest['body']> =>
  fc.oneof(
    { weight: 12, arbitrary: nearTo(valid) },
    { weight: 4, arbitrary: anyJson.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string({ unit: codePoint }) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        undefined,
        '',
        'null',
        nested('[', ']', 80),
        nested('{"a":', '}', 10_000),
        '{"__proto__":{"a":1}}',
        JSON.stringify(valid).slice(0, -1),
        JSON.stringify('x'.repeat(1_100_000)),
      ),
    },
  );

/** A value for a parameter: mostly an existing id, sometimes a hostile word or random bytes. */
const parameters = (id: string, others: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(id) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
    { weight: 1, arbitrary: words.map((word) => encodeURIComponent(wellFormed(word).slice(0, 2_000)) || '%20') },
    {
      weight: 1,
      arbitrary: fc.uint8Array({ minLength: 1, maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('hex').replace(/../g, '%$&')),
    },
  );

const queries = (names: readonly string[], ids: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(
      fc.tuple(
        fc.oneof(fc.constantFrom('a[b]', 'limit', ...names), words),
        fc.oneof(fc.constantFrom('', '1', 'true', '2026-01-05', ...ids), words),
      ),
      { maxLength: 4 },
    )
    .map((pairs) =>
      pairs.map(([name, value]) => `${encodeURIComponent(wellFormed(name))}=${encodeURIComponent(wellFormed(value))}`).join('&'),
    );

const headers = (token: string): fc.Arbitrary<Readonly<Record<string, string>>> =>
  fc
    .record(
      {
        'content-type': fc.oneof(
          { weight: 12, arbitrary: fc.constant('application/json') },
          fc.constantFrom(
            'application/vnd.v1+json',
            'text/plain',
            'application/x-www-form-urlencoded',
            'multipart/form-data',
            'garbage',
            '',
          ),
        ),
        'content-encoding': fc.constantFrom('identity', 'identity', 'gzip', 'br', 'x'),
        accept: fc.constantFrom('*/*', 'text/html', 'application/vnd.v1+json', ';;;'),
        cookie: fc.constantFrom('a=b', 'a="', '=;=', '__proto__=1'),
        range: fc.constantFrom('bytes=0-0', 'bytes=x'),
        'if-none-match': fc.constantFrom('*', '""'),
        'last-event-id': fc.constantFrom('1', 'x-1'),
        'x-http-method-override': fc.constantFrom('DELETE'),
      },
      { requiredKeys: [] },
    )
    .chain((chosen) => fc.constantFrom({ authorization: `Bearer ${token}`, ...chosen }));

/** A platform with a record of every kind. */
async function startWorld(t: Parameters<typeof startChannel>[0]) {
  const test = await startChannel(t, { plugins: [channels(), webhooks(), journeys(), simulation()] });
  const { admin, uuid, say, settle, publish } = test;
  const journey = await publish({
    texts: { ask: 'What is your name?' },
    blocks: [{ name: 'name', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'ask' } }],
  });
  await say('hi');
  await settle();
  const [contact] = (await admin('GET', `/numbers/${uuid}/contacts`)).body.contacts;
  const [conversation] = (await admin('GET', `/numbers/${uuid}/conversations`)).body.conversations;
  const [delivery] = (await admin('GET', '/deliveries')).body.deliveries;
  /** By the path segment before the parameter. */
  const ids: Readonly<Record<string, string>> = {
    numbers: uuid,
    channels: uuid,
    webhooks: test.webhook.uuid,
    journeys: journey,
    contacts: contact.uuid,
    conversations: conversation.uuid,
    deliveries: delivery.uuid,
  };
  return { ...test, ids };
}

/** Sends a request, and returns the problem of its response, if any. */
async function complaint(
  { server }: ChannelUnderTest,
  { method, segments, query, headers, body }: HostileRequest,
): Promise<string | undefined> {
  const url = `/${segments.join('/')}${query === '' ? '' : `?${query}`}`;
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), HANG_MS);
  });
  const answer = await Promise.race([server.inject({ method, url, headers, ...(body !== undefined && { payload: body }) }), hang]);
  clearTimeout(timer);
  if (!answer) return 'no answer';
  if (answer.statusCode >= 500) return `status ${answer.statusCode}: ${answer.payload.slice(0, 500)}`;
  if (method === 'HEAD') return undefined;
  if (answer.statusCode < 300 && String(answer.headers['content-type']).startsWith('text/plain; version=0.0.4')) return undefined;
  if (!String(answer.headers['content-type']).startsWith('application/json')) return `content type ${answer.headers['content-type']}`;
  try {
    JSON.parse(answer.payload);
    return undefined;
  } catch {
    return `not JSON: ${answer.payload.slice(0, 500)}`;
  }
}

t.test('whatever is sent to any route, the response is declared JSON and never a 5xx', async (t) => {
  const world = await startWorld(t);
  const valid = validBodies(world.uuid);
  const ids = Object.values(world.ids);
  // Routes that delete come last, so that records exist for the others.
  const routes = world.server
    .table()
    .filter(({ path }) => path !== '/admin/v1/events')
    // That of a channel revokes its tokens, so that calls would only be refused after it.
    .filter(({ method, path }) => method !== 'delete' || !path.endsWith('/channels/{uuid}'))
    .sort((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'));
  t.ok(routes.length > 40);
  for (const { method, path, settings } of routes) {
    const name = `${method.toUpperCase()} ${path}`;
    const parts = path.slice(1).split('/');
    const token = path.startsWith('/admin/') ? ADMIN_KEY : path === '/v1/numbers' ? world.maker.token : world.token;
    const described = (settings.validate?.query as { describe?: () => { keys?: object } } | undefined)?.describe?.();
    const takesBody = valid[name] !== undefined;
    const request: fc.Arbitrary<HostileRequest> = fc.record({
      method: fc.oneof(
        { weight: 12, arbitrary: fc.constant(method === '*' ? 'POST' : method.toUpperCase()) },
        { weight: 1, arbitrary: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'OPTIONS') },
      ),
      segments: fc.tuple(
        ...parts.map((part, i) => (part.startsWith('{') ? parameters(world.ids[parts[i - 1]!] ?? 'x', ids) : fc.constant(part))),
      ),
      query: fc.oneof({ weight: takesBody ? 6 : 1, arbitrary: fc.constant('') }, queries(Object.keys(described?.keys ?? {}), ids)),
      headers: headers(token),
      body: method === 'get' ? fc.constant(undefined) : bodies((valid[name] ?? {}) as Json),
    });
    const property = fc.asyncProperty(request, async (request) => {
      const found = await complaint(world, request);
      if (found !== undefined) throw new Error(found);
    });
    const result = await fc.check(property, { seed: SEED, numRuns: runs(takesBody ? 120 : 40), endOnFailure: true });
    const example = JSON.stringify(result.counterexample)?.slice(0, 2_000);
    t.ok(!result.failed, `${name} ${result.failed ? `${String(result.errorInstance)} to ${example}` : ''}`);
  }
  t.strictSame(world.log.lines.filter(({ message }) => message === 'a request failed').slice(0, 5), []);
  t.equal(({} as { a?: number }).a, undefined, 'no prototype was changed');
  t.equal((await world.say('still there?')).status, 200);
});
