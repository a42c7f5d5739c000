import t from 'tap';
import { channels } from '../../../plugins/channels/plugin.js';
import { integration } from '../../../plugins/integration/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { handshake, SHOP, startIntegration, update } from './integration-under-test.js';

const plugins = [channels(), webhooks(), journeys(), integration({ recordCalls: true })];

t.test('the newest calls to an integration, with their bodies, and why they were made', async (t) => {
  const about = { authorization: 'Bearer', token: 'the-token-of-the-shop' };
  const { admin, http, made, open, click, finish, conversation } = await startIntegration(t, { plugins, about });
  const calls = async () => (await admin('GET', `/integrations/${made.uuid}/calls`)).body.calls;
  await open();
  http.answer(`POST ${SHOP}`, { body: { ...update, echo: 'the-token-of-the-shop' } });
  await open('?refresh=true');
  http.answer('POST https://shop.test/actions/extend', { headers: { 'x-svc-integration-refresh': 'true' } });
  const clicked = await click('extend', { option: 'week' });
  await finish(clicked.body.click.uuid);
  const found = await t.resolveMatch(
    (async () => {
      for (;;) {
        const all = await calls();
        if (all.length === 6) return all;
        await new Promise(setImmediate);
      }
    })(),
    [
      { kind: 'context', cause: 'notified', status: 200, conversation },
      { kind: 'context', cause: 'header', request: { body: { content: /"chat":/ } } },
      { kind: 'action', action: 'extend', option: 'week', click: clicked.body.click.uuid, url: 'https://shop.test/actions/extend' },
      { kind: 'context', cause: 'requested', response: { body: { content: /"echo":"…"/, cut: false } } },
      { kind: 'context', cause: 'opened', response: { body: { bytes: JSON.stringify(update).length } } },
      { kind: 'handshake', ms: Number, status: 200, url: `${SHOP}?handshake=true` },
    ],
  );
  t.ok(found, 'the calls');
  const text = JSON.stringify(await calls());
  t.notMatch(text, 'the-token-of-the-shop', 'neither token');
  t.notMatch(text, made.secret, 'nor secret');
  t.match(text, '["Authorization","Bearer …');

  t.match((await admin('GET', `/integrations/${made.uuid}/clicks`)).body.clicks, [{ state: 'accepted', status: 200, finished_at: String }]);
  t.equal((await admin('GET', `/integrations/${made.uuid}/calls?limit=2`)).body.calls.length, 2);
  t.equal((await admin('GET', '/integrations/nothing/calls')).status, 404);
  t.equal((await admin('GET', '/integrations/nothing/clicks')).status, 404);
  t.match((await admin('GET', '/integrations')).body.integrations, [{ uuid: made.uuid }], 'those of all numbers');
});

t.test('calls are recorded on request only', async (t) => {
  const { admin, made } = await startIntegration(t);
  const { status, body } = await admin('GET', `/integrations/${made.uuid}/calls`);
  t.equal(status, 409);
  t.match(body.errors[0].details, /recordCalls/);
});

t.test('a failed call has the status and body of its response', async (t) => {
  const { admin, http, made, open } = await startIntegration(t, { plugins });
  http.answer(`POST ${SHOP}`, { status: 500, body: { error: 'no database' } });
  await open();
  http.answer(`POST ${SHOP}`, 'refuse');
  await open('?refresh=true');
  t.match((await admin('GET', `/integrations/${made.uuid}/calls`)).body.calls, [
    { status: null, response: null, trouble: { kind: 'unreachable' } },
    { status: 500, response: { body: { content: '{"error":"no database"}' } }, trouble: { kind: 'refused' } },
    {},
  ]);
});

t.test('a pasted answer, with its problems named', async (t) => {
  const { admin, made } = await startIntegration(t);
  const tried = async (kind: string, answer: unknown, more: object = {}) => {
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer, null, 2);
    const { body, status } = await admin('POST', '/integrations/try', { kind, answer: text, ...more });
    t.equal(status, 200, JSON.stringify(body).slice(0, 500));
    if (!body.result) console.error(JSON.stringify(body).slice(0, 600));
    return body.result;
  };
  t.match(await tried('context', update, { integration: made.uuid }), {
    usable: true,
    problems: [],
    panel: {
      context_objects: [
        { code: 'loans', rows: [{ key: 'Due books', value: [{ type: 'strike' }, { text: ' 2' }] }, {}] },
        { code: 'steps' },
      ],
      actions: [{ action: 'extend', options: [{ option: 'week' }, {}] }, {}],
      suggested_responses: [{ title: 'Yes' }, {}],
    },
  });
  const wrong = {
    context_objects: {
      loans: { 'a/b.c': { not: 'text' }, Link: '![map](https://a.test/b.png)', Page: '<script>alert(1)</script>' },
      extra: {},
      steps: 'x',
    },
    actions: { close: { description: 'Close' } },
    suggested_responses: [{ type: 'TEXT', body: 'Yes', confidence: 'high' }],
    more: 1,
  };
  t.strictSame(
    (await tried('context', wrong, { integration: made.uuid })).problems
      .map(({ code, pointer, line }: { code: string; pointer: string; line: number }) => [code, pointer, line])
      .sort(),
    [
      ['not_rendered', '/context_objects/loans/Link', 7],
      ['not_rendered', '/context_objects/loans/Page', 8],
      ['unknown_code', '/context_objects/extra', 10],
      ['unknown_key', '/more', 25],
      ['wrong_type', '/actions/close', 14],
      ['wrong_type', '/context_objects/loans/a~1b.c', 4],
      ['wrong_type', '/context_objects/steps', 11],
      ['wrong_type', '/suggested_responses/0/confidence', 22],
    ],
  );
  t.match(await tried('context', '{"a": 1,\n "b" 2}'), {
    usable: false,
    problems: [{ code: 'not_json', pointer: '', line: 2, column: 6, message: 'the response is not JSON: colon expected' }],
  });
  t.match(await tried('context', '[]'), { usable: false, problems: [{ code: 'bad_answer', pointer: '' }] });
  t.match(await tried('context', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`), { usable: false, problems: [{ code: 'too_deep' }] });
  t.match(await tried('context', `{"a": "${'é'.repeat(140_000)}"}`), { usable: false, problems: [{ code: 'too_large' }] });
  t.match(await tried('context', { context_objects: { any: { a: 1 }, other: ['b'] } }), {
    problems: [],
    panel: { context_objects: [{ type: 'table' }, { type: 'ordered-list' }] },
  });
  t.match(await tried('handshake', handshake), { usable: true, problems: [], capabilities: handshake.capabilities });
  t.match(await tried('handshake', { capabilities: { actions: 'yes', context_objects: [{ code: 'a', type: 'chart' }] } }), {
    problems: [
      { code: 'wrong_type', pointer: '/capabilities/actions', line: 3 },
      { code: 'unknown_type', pointer: '/capabilities/context_objects/0' },
    ],
  });
  t.equal((await admin('POST', '/integrations/try', { kind: 'context', answer: '{}', integration: 'nothing' })).status, 404);
  t.equal((await admin('POST', '/integrations/try', { kind: 'other', answer: '{}' })).status, 400);
});
