import { cpSync } from 'node:fs';
import { basename } from 'node:path';
import { ManualClock, ScriptedHttp, SeededIds, startPlatform, type TestPlatform } from '#core/testing';
import { messages } from '../../plugins/messages/plugin.js';
import { everyPlugin } from '../../sandbox/server/every-plugin.js';
import { made, sandboxPlugin } from '../../sandbox/server/sandbox-plugin.js';
import {
  integrate,
  makeAssets,
  makeChannelData,
  makeClaim,
  makeConnections,
  makeFlows,
  makeLongValues,
  makeOnePerson,
  makeRetries,
  makeWebhooks,
} from './contents.js';
import { helper, order, remind, reminder } from './definitions.js';
import { type Making, PHONE, simulate, strict, VISITOR, type Written } from './written.js';

/** The start of the scenario's manual clock. */
const STARTS_AT = new Date('2026-01-05T08:00:00Z');
export const MEDIUM = 'the bytes of a picture';
export const SHOP_TOKEN = 'shop-token-of-the-release-data';

/** All plugins, including the sandbox's own, with claims of webhooks. */
export const plugins = () => [
  ...everyPlugin().filter(({ manifest: { name } }) => name !== 'messages'),
  ...[messages({ claims: true }), sandboxPlugin({ beforeWork: async () => undefined })],
];

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
    alerts: [{ url: 'https://owner.test/alerts', from: 'critical' }],
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
  // Its messages are counted once they are an hour old.
  await admin('PATCH', '/accounts', { account: 'ours', kept_days: 3650 });
  await clock.advance(62 * 60_000);
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
  await phone('in-6', { type: 'text', text: { body: 'Does this arrive? Deliveries are stored without the text of a long message.' } });
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
  await makeClaim(test);
  await makeChannelData(test, written);
  await makeConnections(test, written.numbers);
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
  await admin('POST', '/keys', { name: 'deploy', roles: ['operator'], accounts: ['ours'], expires_at: '2099-01-01T00:00:00Z' });
}

async function conversationOf({ platform }: TestPlatform, number: string): Promise<string> {
  const contact = (await platform.contacts.list(number)).find(({ id }) => id === VISITOR);
  return (await platform.conversations.ofContact(number, contact!.uuid))!.uuid;
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
