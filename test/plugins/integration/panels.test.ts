import t from 'tap';
import { verifySignature } from '#core';
import { ManualClock, type ScriptedAnswer, ScriptedHttp } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { createExchange } from '../../../plugins/integration/client/exchange.js';
import { integration } from '../../../plugins/integration/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { CONTACT } from '../channels/channel-under-test.js';
import { handshake, SHOP, startIntegration, update } from './integration-under-test.js';

const plain = (text: string) => [{ type: 'text', text }];

t.test('opening a conversation posts the chat and its ten newest messages to its integrations, newest first', async (t) => {
  const { open, say, send, settle, http, made, conversation, platform } = await startIntegration(t);
  for (let i = 1; i <= 8; i++) await say(`message ${i}`);
  for (let i = 0; i < 4; i++) await send();
  await settle();
  await open();
  const [asked] = http.callsTo(SHOP);
  t.ok(verifySignature(made.secret, asked!.body, asked?.headers['x-svc-hook-signature']));
  const { chat, messages } = asked!.json;
  const { contact, updated_at, created_at } = await platform.conversations.require(conversation);
  const micro = (moment: string) => moment.replace('Z', '000Z');
  t.strictSame(chat, {
    uuid: conversation,
    contact_uuid: contact,
    owner: CONTACT,
    state: 'OPEN',
    state_reason: chat.state_reason,
    unread_count: chat.unread_count,
    assigned_to: null,
    permalink: `http://posthorn.test/app/c/${conversation}`,
    inserted_at: micro(created_at),
    updated_at: micro(updated_at),
  });
  t.equal(messages.length, 10);
  t.strictSame(
    messages.map((message: { text: { body: string }; _vnd: { v1: { direction: string } } }) => [
      message._vnd.v1.direction,
      message.text.body,
    ]),
    [...Array.from({ length: 4 }, () => ['outbound', 'hello']), ...[8, 7, 6, 5, 4, 3].map((i) => ['inbound', `message ${i}`])],
  );
  t.match(messages[4], {
    from: CONTACT,
    id: 'in-9',
    type: 'text',
    timestamp: /^\d+$/,
    _vnd: { v1: { uuid: String, author: { type: 'OWNER' }, inserted_at: /\.\d{6}Z$/, in_reply_to: null, labels: [] } },
  });
  t.match(messages[0], { to: CONTACT, id: 'out-4', recipient_type: 'individual', _vnd: { v1: { author: { type: 'OPERATOR' } } } });
});

t.test('media in calls to integrations have a working link', async (t) => {
  const { open, http, call, platform, uuid, send, settle } = await startIntegration(t);
  const { id } = await platform.media.put(uuid, Buffer.from('a picture'), { mimeType: 'image/png' });
  await send({ type: 'image', image: { link: `media:${id}`, mime_type: 'image/png' } });
  await settle();
  await open();
  const { image } = http.callsTo(SHOP).at(-1)!.json.messages[0];
  t.match(await call('GET', image.link.replace('http://posthorn.test', '')), { status: 200, body: 'a picture' });
});

t.test('a panel has objects in the order of the handshake, numbered lists, and suggestions by confidence', async (t) => {
  const { open, made } = await startIntegration(t);
  const { panels, suggested_responses } = await open();
  const suggestions = [
    { integration: made.uuid, title: 'Yes', body: 'Of course', confidence: 0.9 },
    { integration: made.uuid, title: 'No', body: 'Sorry, no', confidence: 0.2 },
  ];
  t.strictSame(panels, [
    {
      integration: made.uuid,
      name: 'Shop',
      state: 'loaded',
      loaded_at: panels[0].loaded_at,
      context_objects: [
        {
          code: 'loans',
          title: 'Loans',
          type: 'table',
          rows: [
            { key: 'Due books', value: [{ type: 'strike', children: plain('3') }, ...plain(' 2')] },
            { key: 'Card', value: plain('valid') },
          ],
        },
        {
          code: 'steps',
          title: 'Next steps',
          type: 'ordered-list',
          items: [
            { number: 1, value: [...plain('Call '), { type: 'strong', children: plain('today') }] },
            { number: 2, value: plain('Write') },
          ],
        },
      ],
      actions: [
        {
          integration: made.uuid,
          action: 'extend',
          description: 'Extend the loan',
          options: [
            { option: 'week', label: 'A week' },
            { option: 'month', label: 'A month' },
          ],
        },
        { integration: made.uuid, action: 'close', description: 'Close the case', options: [] },
      ],
      suggested_responses: suggestions,
      warnings: [],
    },
  ]);
  t.strictSame(suggested_responses, suggestions);
});

t.test('every part of a response is optional; unknown and invalid parts are ignored with warnings', async (t) => {
  const { open, http } = await startIntegration(t);
  http.answer(`POST ${SHOP}`, { body: {} });
  t.match(await open(), { panels: [{ state: 'loaded', context_objects: [], actions: [], suggested_responses: [], warnings: [] }] });
  http.answer(`POST ${SHOP}`, {
    body: {
      version: 7,
      surprise: true,
      context_objects: { loans: ['no table'], steps: ['one', ['nested'], 2, null], other: {} },
      actions: { bad: { description: 'no url' }, odd: 3, fine: { url: 'x', options: null } },
      suggested_responses: [{ type: 'IMAGE', body: 'x' }, { title: 'no body' }, 'text', { body: 'bare', confidence: 'high' }],
    },
  });
  const [panel] = (await open('?refresh=true')).panels;
  t.match(panel, {
    context_objects: [
      {
        code: 'steps',
        items: [
          { number: 1, value: plain('one') },
          { number: 2, value: plain('2') },
        ],
      },
    ],
    actions: [{ action: 'fine', description: 'fine', options: [] }],
    suggested_responses: [{ title: 'bare', body: 'bare', confidence: 0 }],
  });
  t.equal(panel.context_objects.length, 1);
  t.strictSame(
    panel.warnings.map(({ code, path }: { code: string; path: string }) => `${code} ${path}`),
    [
      'unknown_version version',
      'unknown_key surprise',
      'unknown_code context_objects.other',
      'wrong_type context_objects.loans',
      'wrong_type context_objects.steps[1]',
      'wrong_type context_objects.steps[3]',
      'wrong_type actions.bad',
      'wrong_type actions.odd',
      'unknown_type suggested_responses[0]',
      'wrong_type suggested_responses[1].body',
      'wrong_type suggested_responses[2]',
      'wrong_type suggested_responses[3].confidence',
    ],
  );
});

t.test('parts that the handshake did not declare are not shown', async (t) => {
  const { open, http, admin, made } = await startIntegration(t);
  const capabilities = { ...handshake.capabilities, actions: false, suggested_responses: false };
  http.answer(`POST ${SHOP}?handshake=true`, { body: { capabilities } });
  await admin('POST', `/integrations/${made.uuid}/handshake`);
  const [panel] = (await open('?refresh=true')).panels;
  t.match(panel, { actions: [], suggested_responses: [], context_objects: [{}, {}] });
  t.strictSame(
    panel.warnings.map(({ code, path }: { code: string; path: string }) => `${code} ${path}`),
    ['not_declared actions', 'not_declared suggested_responses'],
  );
});

t.test('the last loaded panel remains as stale while a refresh fails', async (t) => {
  const { open, http, clock } = await startIntegration(t);
  await open();
  const cases: [answer: ScriptedAnswer, kind: string][] = [
    ['hang', 'timeout'],
    ['reset', 'unreachable'],
    [{ status: 500, body: '<html>' }, 'refused'],
    [{ status: 301, headers: { location: SHOP } }, 'redirected'],
    [{ body: '<html>' }, 'not_json'],
    [{ body: 'x'.repeat(300_000) }, 'too_large'],
    [{ body: `${'{"a":'.repeat(50)}1${'}'.repeat(50)}` }, 'too_deep'],
    [{ body: 'bomb', headers: { 'content-encoding': 'gzip' } }, 'encoded'],
    [{ body: '"text"' }, 'bad_answer'],
  ];
  for (const [answer, kind] of cases) {
    http.answer(`POST ${SHOP}`, answer);
    const opened = open('?refresh=true');
    await clock.advance(6_000);
    t.match(
      await opened,
      { panels: [{ state: 'stale', trouble: { kind, reason: /./ }, actions: [{ action: 'extend' }, { action: 'close' }] }] },
      kind,
    );
  }
  for (const headers of [{}, { 'content-encoding': 'identity' }, { 'content-encoding': 'UTF-8' }]) {
    http.answer(`POST ${SHOP}`, { body: update, headers });
    const { panels } = await open('?refresh=true');
    t.equal(panels[0].state, 'loaded', JSON.stringify(headers));
    t.notOk('trouble' in panels[0]);
  }
});

t.test('a conversation opens whatever its integrations do, and they are polled in parallel', async (t) => {
  const { open, admin, http, clock, uuid, conversation, made } = await startIntegration(t);
  const others = ['slow', 'dead', 'disabled'] as const;
  for (const [i, name] of others.entries()) {
    const url = `https://${name}.test/`;
    http.answer(`POST ${url}?handshake=true`, { body: handshake });
    http.answer(`POST ${url}`, name === 'dead' ? 'refuse' : { body: {}, afterMs: 4_900 });
    await admin('POST', '/integrations', { number: uuid, name, url, order: i + 1, enabled: name !== 'disabled' });
  }
  http.answer('POST https://wild.test/?handshake=true', 'refuse');
  await admin('POST', '/integrations', { number: uuid, name: 'wild', url: 'https://wild.test/', order: -1 });
  const opened = admin('GET', `/conversations/${conversation}`);
  await clock.advance(5_000);
  const { status, body } = await opened;
  t.equal(status, 200);
  t.equal(body.messages.length, 1);
  t.strictSame(
    body.views.integrations.data.panels.map(({ name, state, trouble }: { name: string; state: string; trouble?: { kind: string } }) => [
      name,
      state,
      trouble?.kind,
    ]),
    [
      ['wild', 'failed', 'not_ready'],
      ['Shop', 'loaded', undefined],
      ['slow', 'loaded', undefined],
      ['dead', 'failed', 'unreachable'],
    ],
    'in their order; one that is off or was never greeted is not asked',
  );
  t.equal(http.callsTo('POST https://disabled.test/').length, 0);
  t.equal(http.callsTo('POST https://wild.test/').length, 0);
  await admin('PATCH', `/integrations/${made.uuid}`, { enabled: false });
  t.equal((await open()).panels.length, 3);
});

t.test('reopening a conversation returns the loaded panels; a refresh polls again, once for all concurrent callers', async (t) => {
  const { open, http, clock } = await startIntegration(t);
  const asked = () => http.callsTo(SHOP).length;
  await open();
  await open();
  t.equal(asked(), 1);
  http.answer(`POST ${SHOP}`, { body: update, afterMs: 1_000 });
  const refreshed = [open('?refresh=true'), open('?refresh=true')];
  await clock.advance(0);
  const meanwhile = open();
  await clock.advance(1_000);
  const views = await Promise.all([...refreshed, meanwhile]);
  t.equal(asked(), 2);
  t.strictSame(views[1], views[0]);
  t.strictSame(views[2], views[0]);
});

t.test('panels expire 15 minutes after the last view of the conversation', async (t) => {
  const { open, http, clock, click } = await startIntegration(t);
  await open();
  await clock.advance(10 * 60_000);
  await open();
  await clock.advance(14 * 60_000);
  await open();
  t.equal(http.callsTo(SHOP).length, 1);
  await clock.advance(15 * 60_000);
  t.equal((await click('close')).status, 404, 'its actions expire too');
  await open();
  t.equal(http.callsTo(SHOP).length, 2);
});

t.test('the next view shows a repaired handshake and a changed name', async (t) => {
  const { open, http, admin, made } = await startIntegration(t);
  http.answer(`POST ${SHOP}?handshake=true`, { status: 500 }, { body: handshake });
  await admin('POST', `/integrations/${made.uuid}/handshake`);
  t.match(await open(), { panels: [{ state: 'failed', trouble: { kind: 'not_ready' } }] });
  await admin('POST', `/integrations/${made.uuid}/handshake`);
  await admin('PATCH', `/integrations/${made.uuid}`, { name: 'Bookshop' });
  t.match(await open(), { panels: [{ state: 'loaded', name: 'Bookshop' }] });
  await admin('PATCH', `/integrations/${made.uuid}`, { name: 'Library' });
  t.match(await open(), { panels: [{ name: 'Library' }] });
  t.equal(http.callsTo(SHOP).length, 1);
});

t.test('an integration created during a poll is polled by the next view', async (t) => {
  const { open, http, admin, clock, uuid } = await startIntegration(t);
  http.answer(`POST ${SHOP}`, { body: update, afterMs: 2_000 });
  const first = open();
  await clock.advance(1_000);
  http.answer('POST https://new.test/?handshake=true', { body: handshake });
  http.answer('POST https://new.test/', { body: update });
  await admin('POST', '/integrations', { number: uuid, name: 'New', url: 'https://new.test/', order: 1 });
  const second = open();
  await clock.advance(1_000);
  await clock.advance(2_000);
  await first;
  t.match((await second).panels, [{ name: 'Shop' }, { name: 'New', state: 'loaded' }]);
});

t.test('memory is bounded: the least recently viewed conversations are evicted', async (t) => {
  const { say, http, admin, platform, uuid } = await startIntegration(t, {
    plugins: [channels(), webhooks(), journeys(), integration({ openMegabytes: 1 })],
  });
  for (let i = 0; i < 6; i++) await say('hi', { from: `+2782000200${i}` });
  http.answer(`POST ${SHOP}`, { body: { ...update, filler: 'x'.repeat(240_000) } });
  const all = await platform.conversations.list(uuid, 10);
  const look = ({ uuid }: { uuid: string }) => admin('GET', `/conversations/${uuid}`);
  const asked = () => http.callsTo(SHOP).length;
  for (const conversation of all) await look(conversation);
  t.equal(asked(), 7);
  for (const conversation of all.slice(3)) await look(conversation);
  t.equal(asked(), 7, 'the last four are in memory');
  await look(all[2]!);
  t.equal(asked(), 8, 'earlier ones are evicted');
});

t.test('an integration without a secret gets no calls', async (t) => {
  const http = new ScriptedHttp({ clock: new ManualClock() });
  const exchange = createExchange({ http, secrets: { get: async () => undefined } } as never);
  t.match(await exchange.post({ uuid: 'x', authorization: null, url: SHOP } as never, SHOP, { chat: 'private' }, { kind: 'context' }), {
    kind: 'trouble',
    trouble: { kind: 'removed' },
  });
  t.equal(http.calls.length, 0);
});

t.test('a panel is limited, however much the integration returns', async (t) => {
  const { open, http } = await startIntegration(t);
  const many = <T>(count: number, item: (i: number) => T) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, item(i)]));
  http.answer(`POST ${SHOP}`, {
    body: {
      actions: many(5_000, () => ({ url: 'x' })),
      context_objects: { loans: many(1_000, () => 'x'), steps: ['x'.repeat(10_000)] },
      suggested_responses: Array.from({ length: 100 }, () => ({ body: 'x' })),
    },
  });
  const [panel] = (await open()).panels;
  t.equal(panel.state, 'loaded');
  t.equal(panel.actions.length, 100);
  t.equal(panel.context_objects[0].rows.length, 200);
  t.equal(panel.context_objects[1].items[0].value[0].text.length, 4096);
  t.equal(panel.suggested_responses.length, 50);
  t.strictSame(
    panel.warnings.map(({ code }: { code: string }) => code),
    ['too_many', 'too_long', 'too_many', 'too_many'],
  );
});

t.test('names such as __proto__ are ordinary names', async (t) => {
  const { open, http } = await startIntegration(t);
  http.answer(`POST ${SHOP}`, {
    body: '{"__proto__":{"x":1},"context_objects":{"__proto__":{},"loans":{"__proto__":"a","constructor":"b"}},"actions":{"__proto__":{"url":"x"}}}',
  });
  const [panel] = (await open()).panels;
  t.strictSame(
    panel.context_objects[0].rows.map(({ key }: { key: string }) => key),
    ['__proto__', 'constructor'],
  );
  t.match(panel.actions, [{ action: '__proto__' }]);
  t.equal(({} as { x?: number }).x, undefined);
});
