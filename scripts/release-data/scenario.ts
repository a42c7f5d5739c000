import { cpSync } from 'node:fs';
import { basename } from 'node:path';
import { ManualClock, ScriptedHttp, SeededIds, startPlatform, type TestPlatform } from '#core/testing';
import { everyPlugin } from '../../sandbox/server/every-plugin.js';
import { made, sandboxPlugin } from '../../sandbox/server/sandbox-plugin.js';
import { flowJson, helper, order, remind, reminder, rules } from './definitions.js';

/** The start of the scenario's manual clock. */
const STARTS_AT = new Date('2026-01-05T08:00:00Z');
const PHONE = '27820001001';
const VISITOR = '+27820002002';
export const MEDIUM = 'the bytes of a picture';
export const SHOP_TOKEN = 'shop-token-of-the-release-data';

/** Values for tests of the data folder: values that a test cannot read from the folder, such as secrets, and values that it must find there. */
export interface Written {
  /** The time of the copy, by the platform's clock. */
  readonly at: string;
  readonly tokens: { readonly library: string; readonly desk: string; readonly revoked: string };
  readonly numbers: { readonly library: string; readonly desk: string };
  /** The webhooks with their signing secrets; `owner` also has a previous one. */
  readonly webhooks: Readonly<Record<'owner' | 'retrying' | 'paused' | 'hanging' | 'connector', { uuid: string; secret: string }>>;
  readonly previousSecret: string;
  readonly integration: { readonly uuid: string; readonly secret: string; readonly token: string; readonly click: string };
  readonly journeys: { readonly order: string; readonly helper: string; readonly reminder: string };
  readonly medium: string;
  readonly pages: { readonly preview: string; readonly form: string };
  readonly conversation: string;
  /** Responses to GET requests at the time of the copy: of the admin API, and of the API with the library's token. */
  readonly shown: Readonly<Record<string, unknown>>;
}

type Making = { -readonly [K in keyof Written]: Written[K] };

/** All plugins, including the sandbox's own. */
export const plugins = () => [...everyPlugin(), sandboxPlugin({ beforeWork: async () => undefined })];

/**
 * Writes a data folder with documents in every collection, in snapshots and in an unmerged journal segment.
 * The copy is made while the platform runs, so it equals the folder after a crash.
 * @param work an empty folder for the running platform
 * @param copy the folder of the copy
 */
export async function writeScenario(work: string, copy: string): Promise<Written> {
  const written = {} as Making;
  const first = await open(work, 'release data', STARTS_AT);
  await fill(first, written);
  await first.server.stop();
  const second = await open(work, 'release data, second start', first.clock.now());
  await writeAfterRestart(second, written);
  written.shown = await show(second, written);
  written.at = second.clock.now().toISOString();
  cpSync(work, copy, { recursive: true, filter: (path) => !basename(path).startsWith('lock') });
  await second.server.stop();
  return written;
}

async function open(dataDir: string, seed: string, start: Date): Promise<TestPlatform> {
  const clock = new ManualClock({ start });
  const http = scripted(new ScriptedHttp({ clock }));
  return startPlatform({ teardown: () => undefined } as never, {
    plugins: plugins(),
    dataDir,
    ports: { clock, http, ids: new SeededIds(seed) },
  });
}

function scripted(http: ScriptedHttp): ScriptedHttp {
  let named = 0;
  return http
    .answer('POST https://owner.test/*', { body: {} })
    .answer('POST https://retrying.test/*', { status: 503, headers: { 'retry-after': '1' }, body: 'come back later' })
    .answer('POST https://refusing.test/*', { status: 403 })
    .answer('POST https://hanging.test/*', 'hang')
    .answer('POST https://connector.test/*', () => ({ body: { messages: [{ id: `out-${++named}` }] } }))
    .answer('POST https://shop.test/context*', ({ url }) => ({ body: url.includes('handshake') ? handshake : context }))
    .answer('POST https://shop.test/actions/*', { status: 202, body: {} });
}

export const handshake = {
  version: '1.0.0-alpha',
  capabilities: {
    actions: true,
    suggested_responses: true,
    context_objects: [{ title: 'Loans', code: 'loans', type: 'table', unknown: 1 }],
  },
};
const context = {
  version: '1.0.0-alpha',
  context_objects: { loans: { 'Due books': '2' } },
  actions: { extend: { description: 'Extend the loan', url: 'actions/extend', payload: { loan: 7 }, options: { week: 'A week' } } },
  suggested_responses: [{ type: 'TEXT', title: 'Yes', body: 'Of course', confidence: 0.9 }],
};

/** Writes the part that a stop merges into the snapshots. */
async function fill(test: TestPlatform, written: Making): Promise<void> {
  const { admin, call, clock, platform } = strict(test);
  const settle = () => clock.advance(1_000);
  await platform.store.transaction((tx) => tx.in(made).put({ id: 'seed' }));

  const library = (await admin('POST', '/numbers', { kind: 'network', address: '+27110000000', name: 'Library', account: 'ours' })).number
    .uuid;
  await admin('PATCH', `/numbers/${library}`, { reactions: true });
  const token = (await admin('POST', `/numbers/${library}/tokens`, { name: 'connector' })).text;
  const revoked = await admin('POST', `/numbers/${library}/tokens`, { name: 'revoked' });
  await admin('DELETE', `/numbers/${library}/tokens/${revoked.token.uuid}`);
  await admin('POST', '/numbers', { kind: 'sandbox', address: '+27110000001', name: 'Trial' });
  const created = await call('POST', '/v1/numbers', token, {
    ...{ backend_type: 'channel', number_type: 'channel_http_api', from_addr: 'desk', name: 'Desk', endpoint: 'https://connector.test/' },
  });
  const desk = created.number.uuid;
  const deskToken = (await admin('POST', `/numbers/${desk}/tokens`, { name: 'desk', expires_at: '2036-01-01T00:00:00.000Z' })).text;
  Object.assign(written, { numbers: { library, desk }, tokens: { library: token, desk: deskToken, revoked: revoked.text } });

  await makeAssets(test, library);
  const journeys = { order: platform.ids.uuid(), helper: platform.ids.uuid(), reminder: platform.ids.uuid() };
  written.journeys = journeys;
  const publish = async (uuid: string, number: string, name: string, source: object | string, triggers?: object[]) => {
    const draft = typeof source === 'string' ? { notebook: source } : { definition: source, triggers };
    await admin('PUT', `/journeys/${uuid}`, { number, name, ...draft });
    for (const revision of ['staging', 'production']) await admin('POST', `/journeys/${uuid}/publish`, { revision });
  };
  await admin('PUT', `/numbers/${desk}/secrets`, { name: 'SHOP_TOKEN', value: SHOP_TOKEN });
  await admin('PUT', `/numbers/${library}/secrets`, { name: 'SHOP_TOKEN', value: SHOP_TOKEN });
  await publish(journeys.order, desk, 'Order', order, [{ on: 'message', words: ['order'] }]);
  await publish(journeys.reminder, desk, 'Reminder', reminder, []);
  await publish(platform.ids.uuid(), desk, 'Remind', remind(journeys.reminder), [{ on: 'message', words: ['remind'] }]);
  await publish(journeys.helper, library, 'Helper', helper, [{ on: 'message', words: ['help'] }]);
  await publish(platform.ids.uuid(), library, 'Off', reminder, [{ on: 'first_message' }]);
  const notebook = 'trigger(on: "MESSAGE RECEIVED") when contact.name == "Zoe"\ncard Hello do\n  text("Hello")\nend\n';
  await publish(platform.ids.uuid(), library, 'Notebook', notebook);
  const gone = platform.ids.uuid();
  await publish(gone, library, 'Gone', reminder, [{ on: 'catch_all' }]);
  await admin('DELETE', `/journeys/${gone}`);

  // The network number: messages, statuses, labels, media, an agent, duplicates.
  await admin('PATCH', `/network/numbers/${library}/policy`, {
    read_after_ms: 2_000,
    rules: [{ outcome: 'fail', text: 'unlucky', times: 5 }],
  });
  const phone = async (id: string, message: object) =>
    (await admin('POST', `/network/numbers/${library}/messages`, { from: PHONE, name: 'Ann', id, ...message })).message;
  const send = async (message: object) =>
    (await call('POST', '/v1/messages', token, { to: `+${PHONE}`, ...message })).messages[0].id as string;
  const asked = await phone('in-1', { type: 'text', text: { body: 'Good morning' } });
  await phone('in-2', { type: 'text', text: { body: 'help' } });
  await settle();
  await phone('in-3', { type: 'text', text: { body: 'the price?' } });
  await phone('in-4', { type: 'reaction', reaction: { message_id: 'in-1', emoji: '👍' } });
  await phone('in-5', { type: 'location', location: { latitude: -33.9, longitude: 18.4 } });
  await call('POST', `/v1/messages/${asked.external_id}/labels`, token, { labels: ['urgent', 'loans'] });
  await send({ type: 'text', text: { body: 'You are unlucky' } });
  await send({ type: 'text', text: { body: 'Yes?' }, context: { message_id: asked.external_id }, order: 7 });
  const { media } = await call('POST', '/v1/media', token, Buffer.from(MEDIUM), { 'content-type': 'image/png' });
  written.medium = media[0].id;
  await send({ type: 'image', image: { id: written.medium, caption: 'A picture' } });
  await send({
    type: 'template',
    template: { name: 'welcome', language: { code: 'en' }, components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }] },
  });
  await call('PATCH', `/v1/contacts/${PHONE}/profile`, token, { name: 'Ann', email: 'ann@example.org', loans: 7 });
  await settle();
  await makeFlows(test, written, send);

  // The channel: a waiting conversation, a scheduled start, an echo.
  const visit = (id: string, body: string, from = VISITOR) =>
    call('POST', `/v1/numbers/${desk}/messages`, deskToken, {
      contact: { id: from, profile: { name: 'Bob' } },
      message: { type: 'text', from, id, timestamp: '1767600000', text: { body } },
    });
  await visit('visit-1', 'order');
  await settle();
  await visit('visit-2', 'Bob');
  await settle();
  await visit('visit-3', 'remind', '+27820003003');
  await settle();
  await visit('visit-4', 'I shall remind you', '+27820003003');
  await makeLongValues(test, written);
  await call('POST', `/v1/numbers/${desk}/statuses`, deskToken, {
    status: {
      id: 'out-1',
      recipient_id: VISITOR,
      status: 'failed',
      timestamp: '1767600001',
      errors: [{ code: 131026, title: 'Undeliverable' }],
    },
  });
  await platform.store.transaction(async (tx) => {
    const again = {
      id: 'in-1',
      contact: { id: PHONE, name: 'Ann' },
      from: PHONE,
      timestamp: '1767600000',
      type: 'text',
      content: { text: { body: 'Other' } },
    };
    await platform.messages.received(tx, await platform.numbers.require(library), again);
  });

  await makeRetries(test, written);
  await integrate(test, written);
  await simulate(test, written, { http_mocks: [{ url: 'https://shop.test/*', response: { body: { order: 1 } } }] });
  const connector = { uuid: created.webhook.uuid, secret: created.webhook.hmac_secret };
  await makeWebhooks(test, written, connector);
  await phone('in-6', { type: 'text', text: { body: 'Does this arrive?' } });
  await settle();
  const [refused] = (await admin('GET', `/deliveries?number=${library}&limit=20`)).deliveries.filter(
    ({ state }: { state: string }) => state === 'cancelled',
  );
  await admin('POST', `/deliveries/${refused.uuid}/redeliver?no_retry=true`);
  await settle();
  // A copy whose receiver does not respond keeps its edited body until its last retry.
  const replay = { body: '{"edited":true}', url: 'https://replay.test/hook', keep_signature: true };
  await admin('POST', `/deliveries/${refused.uuid}/redeliver`, replay);
  await settle();
  await makeOnePerson(test, written);
}

/** Writes values that are long enough for chunks: an answer in a session and in its next question, and a message. */
async function makeLongValues(test: TestPlatform, { numbers, tokens }: Making): Promise<void> {
  const { call, clock } = strict(test);
  const say = async (from: string, id: string, message: object) => {
    await call('POST', `/v1/numbers/${numbers.desk}/messages`, tokens.desk, {
      contact: { id: from, profile: { name: 'Carol' } },
      message: { from, id, timestamp: '1767600000', ...message },
    });
    await clock.advance(1_000);
  };
  await say('+27820004004', 'long-1', { type: 'text', text: { body: 'order' } });
  await say('+27820004004', 'long-2', { type: 'text', text: { body: 'Carol '.repeat(250) } });
  const long = 'abcdefgh'.repeat(125);
  await say('+27820005005', 'long-3', {
    type: 'document',
    document: { link: `https://connector.test/${long}`, mime_type: 'a/b', filename: long, caption: long, sha256: long, id: `${long}-1` },
  });
}

/** Writes contacts with several ids: two spellings of a phone number, which then changes, and two contacts that are merged. */
async function makeOnePerson(test: TestPlatform, { numbers, tokens }: Making): Promise<void> {
  const { admin, call, clock, platform } = strict(test);
  const trial = (await platform.numbers.list()).find(({ kind }) => kind === 'sandbox');
  for (const [i, from] of ['551187654321', '5511987654321'].entries())
    await admin('POST', `/network/numbers/${trial!.uuid}/messages`, { from, id: `brazil-${i}`, type: 'text', text: { body: 'Oi' } });
  const moved = { from: '551187654321', id: 'brazil-2', type: 'system', system: { body: 'Changed', new_wa_id: '5511912345678' } };
  await admin('POST', `/network/numbers/${trial!.uuid}/messages`, moved);
  for (const [id, body] of [
    ['+27820006006', 'hello'],
    ['user:6', 'remind'],
  ] as const) {
    await call('POST', `/v1/numbers/${numbers.desk}/messages`, tokens.desk, {
      contact: { id, profile: { name: 'Dora' } },
      message: { from: id, id: `one-${id}`, timestamp: '1767600000', type: 'text', text: { body } },
    });
    await clock.advance(1_000);
  }
  const number = await platform.numbers.require(numbers.desk);
  const [contact, into] = await Promise.all([platform.contacts.find(number, 'user:6'), platform.contacts.find(number, '+27820006006')]);
  await admin('POST', '/contacts/merge', { contact: contact!.uuid, into: into!.uuid });
}

/** Writes what retries leave: a message that its connector got twice and gave two ids, and a message that was sent with a key. */
async function makeRetries(test: TestPlatform, { numbers, tokens }: Making): Promise<void> {
  const { admin, call, clock } = strict(test);
  const { deliveries } = await admin('GET', `/deliveries?number=${numbers.desk}&state=delivered&limit=20`);
  const delivered = deliveries.find(({ message }: { message?: string }) => message !== undefined);
  await admin('POST', `/deliveries/${delivered.uuid}/redeliver`);
  await clock.advance(1_000);
  const message = { to: `+${PHONE}`, type: 'text', text: { body: 'Once' } };
  await call('POST', '/v1/messages', tokens.library, message, { 'idempotency-key': 'order-7' });
}

/** Writes an integration with two clicks on its action, and an integration that does not respond. */
async function integrate(test: TestPlatform, written: Making): Promise<void> {
  const { admin, call, clock, platform } = strict(test);
  const number = written.numbers.library;
  const token = 'integration-token';
  const about = { number, name: 'Shop', url: 'https://shop.test/context', authorization: 'Bearer', token };
  const { integration, hmac_secret } = await admin('POST', '/integrations', about);
  await admin('POST', '/integrations', { number, name: 'Broken', url: 'https://refusing.test/context' });
  const [conversation] = await platform.conversations.list(number, 1);
  written.conversation = conversation!.uuid;
  const click = async () => {
    await admin('GET', `/conversations/${conversation!.uuid}`);
    await clock.advance(1_000);
    const payload = { integration: integration.uuid, action: 'extend', option: 'week' };
    return (await admin('POST', `/conversations/${conversation!.uuid}/actions`, payload)).click.uuid as string;
  };
  const finished = await click();
  await call('POST', `/api/integrations/${integration.uuid}/notify/finish`, written.tokens.library, { integration_action_uuid: finished });
  written.integration = { uuid: integration.uuid, secret: hmac_secret, token, click: await click() };
}

/** Created late, so that there are few deliveries. */
async function makeWebhooks(test: TestPlatform, written: Making, connector: Written['webhooks']['connector']): Promise<void> {
  const { admin } = strict(test);
  const make = async (name: string, about: object = {}) => {
    const payload = { number: written.numbers.library, name, url: `https://${name}.test/`, subscriptions: ['msgapp'], ...about };
    const { webhook, hmac_secret } = await admin('POST', '/webhooks', payload);
    return { uuid: webhook.uuid as string, secret: hmac_secret as string };
  };
  const owner = await make('owner', { subscriptions: ['msgapp', 'svc'], headers: { 'x-own': '1' } });
  const retrying = await make('retrying', { retry_also: ['http_429'], strict_answers: true });
  const paused = await make('paused');
  const hanging = await make('hanging', { enabled: false });
  await make('refusing');
  await make('listening', { subscriptions: ['channel'] });
  const rotated = await admin('POST', `/webhooks/${owner.uuid}/rotate-secret`, { overlap_hours: 48 });
  await admin('POST', `/webhooks/${paused.uuid}/pause`);
  written.webhooks = { owner: { ...owner, secret: rotated.hmac_secret }, retrying, paused, hanging, connector };
  written.previousSecret = owner.secret;
}

/** Writes the part after a restart, which stays in the journal. */
async function writeAfterRestart(test: TestPlatform, { numbers, tokens, webhooks, ...written }: Making): Promise<void> {
  const { admin, call, clock } = strict(test);
  await clock.advance(5_000);
  await admin('PATCH', `/webhooks/${webhooks.hanging.uuid}`, { enabled: true });
  const { message } = await admin('POST', `/network/numbers/${numbers.library}/messages`, {
    ...{ from: PHONE, name: 'Ann', id: 'in-late', type: 'text', text: { body: 'Late' } },
  });
  await clock.advance(0);
  await call('PUT', `/v1/messages/${message.external_id}`, tokens.library, { status: 'read', typing_indicator: { type: 'text' } });
  await simulate(test, { tokens, ...written } as Written, { input: 'Ada' });
  // A status of a message whose id the connector has not returned yet.
  test.http.answer('POST https://connector.test/*', { status: 503 });
  await admin('POST', `/conversations/${await conversationOf(test, numbers.desk)}/messages`, {
    ...{ operator: { id: 'desk', name: 'Desk' }, type: 'text', text: { body: 'Are you there?' } },
  });
  await call('POST', `/v1/numbers/${numbers.desk}/statuses`, tokens.desk, {
    status: { id: 'out-later', recipient_id: VISITOR, status: 'sent', timestamp: '1767600000' },
  });
  await clock.advance(0);
}

async function conversationOf({ platform }: TestPlatform, number: string): Promise<string> {
  const contact = (await platform.contacts.list(number)).find(({ id }) => id === VISITOR);
  return (await platform.conversations.ofContact(number, contact!.uuid))!.uuid;
}

export const simulate = (test: TestPlatform, { journeys, tokens }: Pick<Written, 'journeys' | 'tokens'>, more: object) =>
  strict(test).call('POST', `/v1/journeys/${journeys.order}/simulation`, tokens.desk, { simulation_id: 'simulation-1', ...more });

async function makeAssets(test: TestPlatform, number: string): Promise<void> {
  const { admin, platform } = strict(test);
  const put = (kind: string, about: object) => admin('PUT', `/${kind}/${platform.ids.uuid()}`, { number, ...about });
  const media = [{ type: 'image', link: 'https://shop.test/a.png', caption: 'A' }];
  await put('content-cards', { name: 'hours', text: 'Open 9 to 17', media });
  await put('code-skills', { name: 'quote', source: 'export default ({ sum }) => ({ total: sum * 2 })' });
  await put('ai-connections', { name: 'main', vendor: 'scripted', model: 'small', rules, record: true, token: 'vendor-token' });
  await put('ai-connections', {
    name: 'other',
    vendor: 'openai-compatible',
    base_url: 'https://model.test/v1',
    model: 'large',
    token: 'vendor-token',
  });
  await admin('PUT', `/numbers/${number}/templates`, {
    ...{ name: 'welcome', language: 'en', category: 'MARKETING', namespace: 'ours' },
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Welcome' },
      { type: 'BODY', text: 'Hello {{1}}' },
      { type: 'FOOTER', text: 'Bye' },
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Open', url: 'https://shop.test/' }] },
    ],
  });
}

async function makeFlows(test: TestPlatform, written: Making, send: (message: object) => Promise<string>): Promise<void> {
  const { admin, call, clock } = strict(test);
  const token = written.tokens.library;
  const create = async (name: string, about: object = {}) =>
    (await call('POST', '/v1/flows', token, { name, categories: ['SURVEY'], flow_json: flowJson, ...about })).id as string;
  const survey = await create('Survey', { publish: true });
  await create('Draft', { endpoint_uri: 'https://shop.test/flow', flow_json: { ...flowJson, version: '9.9' } });
  await create('Broken', { flow_json: { version: '7.3', screens: [] } });
  const retired = await create('Retired', { publish: true });
  await call('POST', `/v1/flows/${retired}/deprecate`, token);
  await admin('POST', `/flows/${survey}/health`, { status: 'THROTTLED' });
  const parameters = {
    flow_id: survey,
    flow_cta: 'Rate',
    flow_action: 'navigate',
    flow_action_payload: { screen: 'SURVEY' },
    flow_message_version: '3',
    flow_token: 'token-17',
    mode: 'published',
  };
  const sent = await send({
    type: 'interactive',
    interactive: { type: 'flow', body: { text: 'How was it?' }, action: { name: 'flow', parameters } },
  });
  await clock.advance(1_000);
  const form = new URL((await admin('POST', `/messages/${sent}/flow`)).url);
  const preview = new URL((await call('GET', `/v1/flows/${survey}/preview`, token)).preview_url);
  written.pages = { form: form.pathname + form.search, preview: preview.pathname + preview.search };
}

/** The responses of all lists of both APIs. */
async function show(test: TestPlatform, { numbers, tokens, webhooks, journeys }: Making): Promise<Record<string, unknown>> {
  const { admin, call } = strict(test);
  const shown: Record<string, unknown> = {};
  for (const number of [numbers.library, numbers.desk]) {
    const paths = ['ai-calls', 'ai-connections', 'code-skills', 'content-cards', 'integrations', 'journeys', 'webhooks'].map(
      (list) => `/${list}?number=${number}`,
    );
    const below = ['contacts', 'conversations', 'secrets', 'templates', 'tokens'].map((list) => `/numbers/${number}/${list}`);
    for (const path of [...paths, ...below]) shown[path] = await admin('GET', path);
  }
  const rest = ['/numbers', '/channels', '/flows', `/network/numbers/${numbers.library}/policy`];
  const deliveries = [webhooks.owner, webhooks.retrying, webhooks.paused].map(({ uuid }) => `/deliveries?webhook=${uuid}&limit=5`);
  const sessions = Object.values(journeys).map((journey) => `/journeys/${journey}/sessions`);
  for (const path of [...rest, ...deliveries, ...sessions]) shown[path] = await admin('GET', path);
  for (const path of ['/v1/flows', `/v1/contacts/${PHONE}/profile`, `/v1/contacts/${PHONE}/messages`])
    shown[path] = await call('GET', path, tokens.library);
  return shown;
}

/** Calls that throw unless they succeed. */
export function strict(test: TestPlatform) {
  // biome-ignore lint/suspicious/noExplicitAny: any response body
  const good = (what: string, { status, body }: { status: number; body: any }): any => {
    if (status >= 300) throw new Error(`${what}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  return {
    ...test,
    admin: async (method: string, path: string, payload?: unknown) => good(`${method} ${path}`, await test.admin(method, path, payload)),
    call: async (method: string, path: string, token: string, payload?: unknown, headers?: Record<string, string>) =>
      good(
        `${method} ${path}`,
        await test.call(method, path, { token, ...(payload !== undefined && { payload }), ...(headers && { headers }) }),
      ),
  };
}
