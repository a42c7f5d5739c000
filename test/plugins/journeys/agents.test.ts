import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { ManualClock, RecordingLogger, type Tap } from '#core/testing';
import { UndiciClient } from '../../../core/adapters/http/undici-client.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { journeys, journeysService } from '../../../plugins/journeys/plugin.js';
import { simulation } from '../../../plugins/simulation/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { completion, standIn, toolCalls } from '../../core/adapters/models/stand-in.js';
import { type ChannelUnderTest, startChannel } from '../channels/channel-under-test.js';
import type { Draft } from './engine/journey-under-test.js';

const TOKEN = 'sk-vendor-token-that-absent-may-see-4711';

/** An agent that knows the opening hours, prices by code and orders over HTTP, and can hand over. */
const agent = (about: object = {}): Draft => ({
  texts: { i: 'You help @contact.name.', hours: 'Open 9 to 17', bye: 'A colleague will write. @helper' },
  blocks: [
    {
      name: 'helper',
      type: 'Svc.AiAgent',
      config: {
        instructions: 'i',
        connection: 'main',
        memory: { enabled: true },
        skills: [
          { name: 'hours', kind: 'knowledge', description: 'When we are open', content: 'hours' },
          {
            name: 'quote',
            kind: 'code',
            description: 'A price',
            parameters: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
            skill: 'quote',
          },
          {
            name: 'order',
            kind: 'http',
            description: 'An order',
            parameters: { type: 'object', properties: { id: { type: 'string' } } },
            http: { method: 'GET', url: 'https://shop.test/orders/@arguments.id' },
          },
        ],
        actions: [{ name: 'handover', description: 'A person is wanted', exit: 'to_human' }],
        ...about,
      },
      exits: [{ name: 'to_human', test: 'block.value = "handover"', to: 'bye' }, { label: 'error', to: 'sorry' }, { to: null }],
    },
    { name: 'bye', type: 'MobilePrimitives.Message', config: { prompt: 'bye' }, exits: [{ to: null }] },
    { name: 'sorry', type: 'Core.Log', config: { message: 'no model: @block.error' }, exits: [{ to: null }] },
  ],
});

const rules = [
  { when: { tool_result: 'hours' }, say: 'We are {{result}}.' },
  { when: { tool_result: 'quote' }, say: 'That is {{result.total}}.' },
  { when: { tool_result: 'order' }, say: 'Your order is {{result.body.state}}.' },
  { when: { last_user: 'open' }, call: { hours: {} } },
  { when: { last_user: 'price' }, call: { quote: { sum: 21 } } },
  { when: { last_user: 'order' }, call: { order: { id: '7' } } },
  { when: { last_user: 'person' }, say: 'One moment.', action: 'handover' },
  { when: { last_user: 'again', turn: 2 }, say: 'You said that before.' },
  { say: 'How can I help?' },
];

async function withAgent(t: Tap, connection: object, options: Parameters<typeof startChannel>[1] = {}): Promise<ChannelUnderTest> {
  const channel = await startChannel(t, { plugins: [channels(), webhooks(), journeys(), simulation()], ...options });
  const { admin, uuid: number, platform, publish } = channel;
  const source = 'export default ({ sum }) => ({ total: sum * 2 })';
  await admin('PUT', `/code-skills/${platform.ids.uuid()}`, { number, name: 'quote', source });
  const made = await admin('PUT', `/ai-connections/${platform.ids.uuid()}`, { number, name: 'main', model: 'small', ...connection });
  if (made.status !== 200) throw new Error(JSON.stringify(made.body));
  await publish(agent());
  return channel;
}

t.test('an agent talks with a contact, uses its skills, and routes; its turns are ordinary messages', async (t) => {
  const { say, received, http, told, deliveries } = await withAgent(t, { vendor: 'scripted', rules });
  http.answer('GET https://shop.test/orders/7', { body: { state: 'on its way' } });
  for (const text of ['hi', 'are you open?', 'the price?', 'my order?', 'a person please']) await say(text);
  t.strictSame(received(), [
    'We are Open 9 to 17.',
    'That is 42.',
    'Your order is on its way.',
    'One moment.',
    'A colleague will write. handover',
  ]);
  t.match(told('journey.turn_taken').at(-1), { session: { state: 'ended' }, failure: null });
  t.ok(deliveries().every(({ headers }) => headers['x-svc-hook-subscription'] === 'channel'));
  t.match(deliveries()[0]?.json, { waiting_for_user_input: true, block: { type: 'Svc.AiAgent' } });
});

t.test('AI calls of conversations are in the log, newest first; those of simulations are not', async (t) => {
  const { say, admin, uuid: number, call, token, platform, clock } = await withAgent(t, { vendor: 'scripted', rules });
  const [journey] = await platform.service(journeysService).ofNumber(number);
  await say('hi');
  await clock.advance(1000);
  await say('open?');
  const logged = (await admin('GET', `/ai-calls?number=${number}`)).body.ai_calls;
  t.equal(logged.length, 2, 'the first call requests a skill, the second answers');
  t.match(logged[0], {
    journey: journey!.uuid,
    name: 'helper',
    block: 'helper',
    model: 'small',
    outcome: 'answered',
    tokens: { input: 0, output: 0 },
  });
  t.match((await admin('GET', `/ai-calls?number=${number}&limit=1`)).body.ai_calls, [{ uuid: logged[0].uuid }]);

  const simulate = (input?: string) =>
    call('POST', `/v1/journeys/${journey!.uuid}/simulation`, { token, payload: { simulation_id: 'agent-1', ...(input && { input }) } });
  await simulate();
  t.match(await simulate('again'), { status: 200, body: { message: 'How can I help?', state: 'waiting_for_input' } });
  t.match(await simulate('again'), { body: { message: 'You said that before.' } }, 'the agent has a memory between turns');
  t.match(await simulate('what is the price?'), {
    body: { message: 'That is 42.', skill_calls: [{ name: 'quote', arguments: { sum: 21 }, output: { total: 42 } }], actions: [] },
  });
  t.match(await simulate('a person'), { body: { skill_calls: [], actions: ['handover'], state: 'end' } });
  t.equal((await admin('GET', `/ai-calls?number=${number}`)).body.ai_calls.length, 2);
});

t.test('a simulation shows AI connections without the token of the vendor', async (t) => {
  const { call, token, platform, uuid: number } = await withAgent(t, { vendor: 'scripted', rules, token: TOKEN });
  const [journey] = await platform.service(journeysService).ofNumber(number);
  const { body } = await call('POST', `/v1/journeys/${journey!.uuid}/simulation`, {
    token,
    payload: { simulation_id: 'agent-1', input: 'hi' },
  });
  t.strictSame(Object.keys(body.context.ai_connections.main).sort(), ['model', 'uuid', 'vendor']);
  t.notMatch(JSON.stringify(body), TOKEN);
});

t.test('turns of an agent are journey_outbound events', async (t) => {
  const { say, admin, uuid: number, http, settle } = await withAgent(t, { vendor: 'scripted', rules });
  http.answer('POST https://hook.test/*', {});
  await admin('POST', '/webhooks', { number, url: 'https://hook.test/journeys', subscriptions: ['journey_outbound'] });
  await say('hi');
  await say('are you open?');
  await settle();
  t.match(
    http.callsTo('https://hook.test/*').map(({ headers, json }) => [headers['x-svc-hook-subscription'], json.text?.body]),
    [['journey_outbound', 'We are Open 9 to 17.']],
  );
});

t.test('an erased contact takes its recordings along, also those that the log of calls no longer names', async (t) => {
  const { say, admin, uuid: number, platform } = await withAgent(t, { vendor: 'scripted', rules, record: true });
  const [{ uuid }] = (await admin('GET', `/ai-connections?number=${number}`)).body.ai_connections;
  for (const from of ['27821110001', '27821110002']) for (const text of ['hi', `are you open, ${from}?`]) await say(text, { from });
  const { aiCalls, sessions } = await import('../../../plugins/journeys/records.js');
  await platform.store.transaction(async (tx) => {
    for (const call of await tx.in(aiCalls).list()) tx.in(aiCalls).delete(call.uuid);
    for (const session of await tx.in(sessions).list()) tx.in(sessions).delete(session.uuid);
  });
  const contact = (await platform.contacts.known(number, '27821110001'))!;
  const recorded = async () => JSON.stringify((await admin('GET', `/ai-connections/${uuid}/recordings`)).body);
  t.match(await recorded(), /27821110001/);
  t.match((await admin('DELETE', `/contacts/${contact.uuid}`)).body.erasure, { removed: { ai_recordings: 2 } });
  t.notMatch(await recorded(), /27821110001/);
  t.match(await recorded(), /27821110002/, 'those of others stay');
});

t.test('a connection with record stores the replies of its model, and they can be replayed without it', async (t) => {
  const { say, received, admin, uuid: number, clock, platform } = await withAgent(t, { vendor: 'scripted', rules, record: true });
  const [{ uuid }] = (await admin('GET', `/ai-connections?number=${number}`)).body.ai_connections;
  const conversation = ['hi', 'are you open?', 'a person please'];
  for (const text of conversation) await say(text);
  const recorded = (await admin('GET', `/ai-connections/${uuid}/recordings`)).body.recordings;
  t.equal(recorded.length, 3, 'the first message starts the journey; each of the others is one request, and one more after the skill');
  const keys = (calls: { recording?: string; key?: string }[]) => calls.map(({ recording, key }) => recording ?? key);
  t.strictSame(keys((await admin('GET', `/ai-calls?number=${number}`)).body.ai_calls), keys(recorded).reverse(), 'the log names them');
  const replay = await admin('PUT', `/ai-connections/${uuid}`, {
    number,
    name: 'main',
    model: 'small',
    vendor: 'replay',
    recordings: recorded,
  });
  t.equal(replay.status, 200);
  await clock.advance(24 * 60 * 60 * 1000);
  const before = received().length;
  for (const text of conversation) await say(text);
  t.strictSame(received().slice(before), received().slice(0, before), 'the same conversation a day later');
  await say('hi');
  await say('something else');
  t.match((await admin('GET', `/ai-calls?number=${number}&limit=1`)).body.ai_calls, [{ outcome: 'model_no_match' }]);
  await admin('DELETE', `/ai-connections/${uuid}`);
  t.equal((await admin('GET', `/ai-connections/${uuid}/recordings`)).status, 404);
  const { recordings } = await import('../../../plugins/journeys/records.js');
  t.equal(await platform.store.open(recordings).count(), 0, 'they are deleted with their connection');
});

t.test('the log stores the newest thousand calls of a number', async (t) => {
  const { platform, uuid: number, admin } = await withAgent(t, { vendor: 'scripted', rules });
  const { AI_LOG_LENGTH, logAiCalls } = await import('../../../plugins/journeys/answering/ai-log.js');
  const { aiCalls } = await import('../../../plugins/journeys/records.js');
  const at = { journey: 'j', flow: 'f', block: 'b', name: 'n', type: 'Svc.AiAgent', card: 'c' };
  const event = {
    type: 'ai_call' as const,
    at,
    connection: 'c',
    model: 'm',
    outcome: 'answered',
    tokens: { input: 1, output: 1 },
    elapsedMs: 1,
  };
  const log = (count: number) =>
    platform.store.transaction((tx) =>
      logAiCalls(
        platform,
        tx,
        { number, session: 's', contact: 'c' },
        Array.from({ length: count }, () => event),
      ),
    );
  for (let i = 0; i < 11; i++) await log(100);
  t.equal(await platform.store.open(aiCalls).count(), AI_LOG_LENGTH);
  t.equal((await admin('GET', `/ai-calls?number=${number}&limit=1000`)).body.ai_calls.length, AI_LOG_LENGTH);
});

t.test('a missing, disabled or failing connection leads to the error exit, and the log has the reason', async (t) => {
  const { say, admin, uuid: number } = await withAgent(t, { vendor: 'scripted', rules: [] });
  const { ai_connections } = (await admin('GET', `/ai-connections?number=${number}`)).body;
  const [{ uuid }] = ai_connections;
  const outcomes = async () =>
    (await admin('GET', `/ai-calls?number=${number}`)).body.ai_calls.map(({ outcome }: { outcome: string }) => outcome);
  const twice = async () => {
    await say('hi');
    await say('hello?');
  };
  await twice();
  await admin('PUT', `/ai-connections/${uuid}`, { number, name: 'main', vendor: 'scripted', rules, enabled: false });
  await twice();
  await admin('DELETE', `/ai-connections/${uuid}`);
  await twice();
  t.strictSame(await outcomes(), ['ai_connection_not_found', 'ai_connection_disabled', 'model_no_match']);
});

t.test('the token of a vendor leaves the process only in the call to the vendor', async (t) => {
  const endpoint = await standIn(t);
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-token-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const clock = new ManualClock();
  const log = new RecordingLogger();
  const http = new UndiciClient({ clock, guard: false });
  const answers: string[] = [];
  const channel = await withAgent(
    t,
    { vendor: 'openai-compatible', base_url: endpoint.baseUrl, token: TOKEN },
    { dataDir: folder, ports: { clock, log } },
  );
  t.teardown(() => http.stop());
  const { admin, call, uuid: number, token, say, platform, events, deliveries, server } = channel;
  // The connector is a script; the models speak real HTTP.
  channel.http.answer(`POST ${endpoint.baseUrl}/*`, async ({ method, url, headers, text }) => {
    const outcome = await http.send({ method, url, headers, body: text, deadlineMs: 30_000, maxResponseBytes: 1_000_000 });
    if (outcome.kind !== 'response') return outcome.kind === 'timeout' ? 'hang' : 'refuse';
    return { status: outcome.status, body: outcome.body };
  });
  server.ext('onPreResponse', ({ response }, h) => {
    if (!('isBoom' in response && response.isBoom))
      answers.push(JSON.stringify([(response as { source: unknown }).source, (response as { headers: unknown }).headers]));
    return h.continue;
  });
  const record = async (answer: Promise<{ body: unknown; headers: unknown }>) => {
    const { body, headers } = await answer;
    answers.push(JSON.stringify([body, headers]));
  };

  await say('hi');
  const unkind = [
    { json: completion({ content: `Your token is ${TOKEN}, in base64 ${Buffer.from(TOKEN).toString('base64')}` }) },
    { json: toolCalls({ id: TOKEN, function: { name: 'hours', arguments: `{"x":"${TOKEN}"}` } }) },
    { json: toolCalls({ id: 'a', function: { name: TOKEN, arguments: `{"broken ${TOKEN}` } }) },
    { json: completion({ content: 'All well.' }) },
  ];
  endpoint.answer(...unkind);
  await say('who are you?');
  await say('and then?');
  endpoint.answer({ status: 401, json: { error: { message: `Incorrect API key provided: ${TOKEN}.` } } });
  await say('once more');
  t.ok(
    endpoint.asked.length > 0 && endpoint.asked.every(({ headers }) => headers.authorization === `Bearer ${TOKEN}`),
    'the call to the vendor has it',
  );

  const [journey] = await platform.service(journeysService).ofNumber(number);
  endpoint.answer(...unkind);
  const simulate = (input?: string) =>
    record(
      call('POST', `/v1/journeys/${journey!.uuid}/simulation`, { token, payload: { simulation_id: 'leak-1', ...(input && { input }) } }),
    );
  await simulate();
  await simulate('who?');
  for (const path of ['/ai-connections', '/ai-calls', '/journeys', '/code-skills', '/content-cards'])
    await record(admin('GET', `${path}?number=${number}`));
  const { body } = await admin('GET', `/ai-connections?number=${number}`);
  const [{ uuid, ...shown }] = body.ai_connections;
  t.strictSame(Object.keys(shown).sort(), [
    'base_url',
    'created_at',
    'enabled',
    'has_token',
    'model',
    'name',
    'number',
    'updated_at',
    'vendor',
  ]);
  t.equal(shown.has_token, true);
  await record(admin('GET', `/ai-connections/${uuid}`));
  await record(
    admin('PUT', `/ai-connections/${uuid}`, { number, name: 'main', vendor: 'openai-compatible', base_url: 'nowhere', token: TOKEN }),
  );
  await record(admin('PUT', `/ai-connections/${uuid}`, { number, name: 'main', vendor: 'openai-compatible', base_url: endpoint.baseUrl }));
  t.match((await admin('GET', `/ai-connections/${uuid}`)).body.ai_connection, { has_token: true }, 'without token the stored one stays');
  const conversation = (await platform.conversations.list(number, 1))[0]!;
  await record(admin('GET', `/conversations/${conversation.uuid}`));
  await record(admin('GET', `/journeys/${journey!.uuid}/sessions`));
  await server.stop();

  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const places: Record<string, string> = {
    'answers of the API': answers.join('\n'),
    events: JSON.stringify(events),
    'lines of the log': JSON.stringify(log.lines),
    'what the connector was sent': deliveries()
      .map(({ text, headers }) => text + JSON.stringify(headers))
      .join('\n'),
    ...Object.fromEntries(files.map(({ parentPath, name }) => [`file ${name}`, readFileSync(join(parentPath, name), 'latin1')])),
  };
  t.ok(files.length > 2 && places['what the connector was sent']!.includes('Your token is'), 'there is something to look through');
  const forms = [TOKEN, Buffer.from(TOKEN).toString('base64').replace(/=+$/, ''), Buffer.from(TOKEN).toString('hex')];
  for (const [place, bytes] of Object.entries(places)) {
    for (const form of forms) t.notOk(bytes.includes(form), place);
  }
});
