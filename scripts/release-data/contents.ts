import type { TestPlatform } from '#core/testing';
import { choices } from '../../core/messaging/choice.js';
import { connections } from '../../core/messaging/connection.js';
import { mediaLinks } from '../../core/messaging/media-link.js';
import { uploads } from '../../core/messaging/upload.js';
import { issuedAdvice as emailAdvice, positions as mailPositions } from '../../plugins/email/records.js';
import { openings } from '../../plugins/flows/records.js';
import { partsRecords, issuedAdvice as smsAdvice } from '../../plugins/sms/records.js';
import { issuedAdvice, positions } from '../../plugins/telegram/records.js';
import { sessions, uploads as visitorUploads } from '../../plugins/webchat/records.js';
import { flowJson, rules } from './definitions.js';
import { type Making, PHONE, strict, type Written } from './written.js';

export async function makeAssets(test: TestPlatform, number: string): Promise<void> {
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

export async function makeFlows(test: TestPlatform, written: Making, send: (message: object) => Promise<string>): Promise<void> {
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

/** Writes values that are long enough for chunks: an answer in a session and in its next question, and a message. */
export async function makeLongValues(test: TestPlatform, { numbers, tokens }: Making): Promise<void> {
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
export async function makeOnePerson(test: TestPlatform, { numbers, tokens }: Making): Promise<void> {
  const { admin, call, clock, platform } = strict(test);
  const trial = (await platform.numbers.list()).find(({ kind }) => kind === 'sandbox');
  for (const [i, from] of ['551187654321', '5511987654321'].entries())
    await admin('POST', `/network/numbers/${trial!.uuid}/messages`, { from, id: `brazil-${i}`, type: 'text', text: { body: 'Oi' } });
  const moved = { from: '551187654321', id: 'brazil-2', type: 'system', system: { body: 'Changed', new_wa_id: '5511912345678' } };
  // A contact that was erased.
  const erased = { from: '27820009999', id: 'erased-1', type: 'text', text: { body: 'Delete me' } };
  const { message } = await admin('POST', `/network/numbers/${trial!.uuid}/messages`, erased);
  await admin('DELETE', `/contacts/${message.contact}`);
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
export async function makeRetries(test: TestPlatform, { numbers, tokens }: Making): Promise<void> {
  const { admin, call, clock } = strict(test);
  const { deliveries } = await admin('GET', `/deliveries?number=${numbers.desk}&state=delivered&limit=20`);
  const delivered = deliveries.find(({ message }: { message?: string }) => message !== undefined);
  await admin('POST', `/deliveries/${delivered.uuid}/redeliver`);
  await clock.advance(1_000);
  const message = { to: `+${PHONE}`, type: 'text', text: { body: 'Once' } };
  await call('POST', '/v1/messages', tokens.library, message, { 'idempotency-key': 'order-7' });
}

/** Writes an integration with two clicks on its action, and an integration that does not respond. */
export async function integrate(test: TestPlatform, written: Making): Promise<void> {
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

/** Writes two connections, of which an error has stopped one; the drivers of these numbers declare none, so nothing is sent for them. */
export async function makeConnections({ platform }: TestPlatform, { desk, library }: Making['numbers']): Promise<void> {
  const connected_at = platform.clock.now().toISOString();
  const about = { settings: { name: 'desk_bot' }, connected_at };
  const stopped = { at: connected_at, code: 401, title: 'Unauthorized' };
  await platform.store.transaction((tx) => tx.in(connections).put({ ...about, number: desk, type: 'channel_http_api', stopped }));
  await platform.store.transaction((tx) => tx.in(connections).put({ ...about, number: library, type: 'network' }));
}

/** Writes a claim: a webhook answers a contact instead of journeys. */
export async function makeClaim(test: TestPlatform): Promise<void> {
  const { admin, clock, platform } = strict(test);
  const trial = (await platform.numbers.list()).find(({ kind }) => kind === 'sandbox');
  await admin('POST', '/webhooks', { number: trial!.uuid, name: 'bot', url: 'https://owner.test/bot', claims: true });
  const asked = { from: '27820007007', id: 'claimed-1', type: 'text', text: { body: 'Is anyone there?' } };
  await admin('POST', `/network/numbers/${trial!.uuid}/messages`, asked);
  await clock.advance(1_000);
}

/** Created late, so that there are few deliveries. */
export async function makeWebhooks(test: TestPlatform, written: Making, connector: Written['webhooks']['connector']): Promise<void> {
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

/** The records that plugins of channels store through the core: a block, a further id, and data of the channel. */
export async function makeChannelData({ platform }: TestPlatform, { numbers }: Making): Promise<void> {
  const number = await platform.numbers.require(numbers.desk);
  const sides = { ann: ['contact', 'network', 'operator'], bob: ['contact'], cleo: ['network'] } as const;
  for (const [name, blocked] of Object.entries(sides))
    await platform.store.transaction(async (tx) => {
      const from = `${name}@example.org`;
      const letter = { id: `letter of ${name}`, from, timestamp: '1767600000', type: 'text', content: { text: { body: 'Stop' } } };
      const inbound = { ...letter, contact: { id: from, name }, channel: { subject: 'Your loans' } };
      const { message } = await platform.messages.received(tx, number, inbound);
      const contact = await platform.contacts.latest(tx, { uuid: message.contact });
      const author = { type: 'OPERATOR', id: 'desk', name: 'Desk' } as const;
      const answer = { type: 'text', content: { text: { body: 'Good bye' } }, author };
      const sent = await platform.messages.queued(tx, number, contact, answer);
      await platform.messages.addRemoteId(tx, number, sent.message.uuid, `part for ${name}`);
      await platform.messages.accepted(tx, number, sent.message.uuid, `answer for ${name}`);
      for (const by of blocked) await platform.contacts.block(tx, number, contact, { by, reason: 'STOP' });
      if (name !== 'ann') return;
      await platform.messages.edited(tx, number, message.uuid, { text: { body: 'Please stop' } });
      const at = platform.clock.now().toISOString();
      const about = { number: number.uuid, message: sent.message.uuid, conversation: sent.message.conversation };
      const options = [{ kind: 'list_reply', id: 'hours', title: 'Opening hours', description: 'of today' } as const];
      tx.in(choices).put({ ...about, key: 'Fz3kQ0aB', at, options });
      tx.in(uploads).put({ key: `${number.uuid}/photo/1`, number: number.uuid, file: '1', id: 'remote-1', at });
      const link = { number: number.uuid, contact: contact.uuid, media: '1', until: at };
      tx.in(mediaLinks).put({ ...link, token: 'Fz3kQ0aBFz3kQ0aBFz3kQ0', opened: 0 });
      tx.in(mediaLinks).put({ ...link, token: 'Fz3kQ0aBFz3kQ0aBFz3kQ1', opened: 1, opened_at: at });
      const opening = { token: 'Fz3kQ0aBFz3kQ0aBFz3kQ1', message: sent.message.uuid, expires_at: at };
      tx.in(openings).put({ ...opening, sent: true, used_at: at });
      const visitor = { number: number.uuid, visitor: 'web:Fz3kQ0aBFz3kQ0aBFz3kQ0', expires_at: at };
      tx.in(sessions).put({ ...visitor, hash: 'ab'.repeat(32), created_at: at });
      tx.in(visitorUploads).put({ ...visitor, id: '2' });
      tx.in(positions).put({ number: number.uuid, api_url: 'https://api.telegram.org', next: 7, at });
      tx.in(issuedAdvice).put({ key: `group:${number.uuid}`, at, number: number.uuid });
      tx.in(partsRecords).put({ message: sent.message.uuid, number: number.uuid, parts: 2, ids: { SM1: 1 }, states: { 1: 'sent' } });
      const mailbox = 'support@shop.example@imap.shop.example:993/INBOX';
      tx.in(mailPositions).put({ number: number.uuid, mailbox, uid_validity: '1', last_uid: 7, since: at });
      tx.in(emailAdvice).put({ key: `policy:${number.uuid}`, at, number: number.uuid });
      tx.in(smsAdvice).put({ key: `gateway:${number.uuid}:21408`, at, number: number.uuid });
    });
}
