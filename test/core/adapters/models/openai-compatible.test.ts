import t from 'tap';
import { ManualClock, type Tap } from '#core/testing';
import { UndiciClient } from '../../../../core/adapters/http/undici-client.js';
import { OpenAiCompatibleModel } from '../../../../core/adapters/models/openai-compatible.js';
import type { ModelOutcome, ModelRequest } from '../../../../core/ports/model.js';
import { completion, type StandIn, standIn, toolCalls } from './stand-in.js';

const TOKEN = 'sk-very-secret-token-0123456789';
const lookUp = {
  name: 'find_order',
  description: 'Looks an order up',
  parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
};
const request: ModelRequest = {
  model: 'small',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'hi' },
  ],
  tools: [lookUp],
  temperature: 0.2,
  maxTokens: 100,
};

interface UnderTest extends StandIn {
  readonly clock: ManualClock;
  ask(about?: Partial<ModelRequest>): Promise<ModelOutcome>;
}

async function start(t: Tap): Promise<UnderTest> {
  const endpoint = await standIn(t);
  const clock = new ManualClock();
  const http = new UndiciClient({ clock, guard: false });
  t.teardown(() => http.stop());
  const model = new OpenAiCompatibleModel({ baseUrl: endpoint.baseUrl, token: TOKEN }, { http, clock });
  return { ...endpoint, clock, ask: (about = {}) => model.generate({ ...request, ...about }) };
}

t.test('a request has the shape of the protocol, and the reply has text and token counts', async (t) => {
  const { ask, answer, asked } = await start(t);
  answer({ json: completion({ content: 'Hello!' }) });
  t.strictSame(await ask(), { kind: 'reply', text: 'Hello!', calls: [], tokens: { input: 11, output: 7 } });
  const [{ path, headers, body }] = asked as [(typeof asked)[0]];
  t.equal(path, '/v1/chat/completions');
  t.equal(headers.authorization, `Bearer ${TOKEN}`);
  t.match(body, {
    model: 'small',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
    ],
    tools: [{ type: 'function', function: { name: 'find_order', description: 'Looks an order up', parameters: { required: ['id'] } } }],
    temperature: 0.2,
    max_tokens: 100,
  });
  t.notOk(body.stream);
});

t.test('tool calls and their results are sent back in the shape of the protocol', async (t) => {
  const { ask, answer, asked } = await start(t);
  answer({ json: completion({ content: 'It is on its way.' }) });
  await ask({
    messages: [
      { role: 'user', content: 'where is 7?' },
      { role: 'assistant', content: '', calls: [{ id: 'a1', name: 'find_order', arguments: '{"id":"7"}' }] },
      { role: 'tool', call: 'a1', name: 'find_order', content: '{"state":"sent"}' },
    ],
  });
  t.match(asked[0]?.body.messages, [
    { role: 'user', content: 'where is 7?' },
    { role: 'assistant', tool_calls: [{ id: 'a1', type: 'function', function: { name: 'find_order', arguments: '{"id":"7"}' } }] },
    { role: 'tool', tool_call_id: 'a1', content: '{"state":"sent"}' },
  ]);
});

t.test('tool calls arrive as the model wrote them, in every variant', async (t) => {
  const { ask, answer } = await start(t);
  const cases: [said: object, calls: object[]][] = [
    [{ id: 'a', function: { name: 'find_order', arguments: '{"id":"7"}' } }, [{ id: 'a', name: 'find_order', arguments: '{"id":"7"}' }]],
    [{ id: 'a', function: { name: 'find_order', arguments: '{"id": 7' } }, [{ arguments: '{"id": 7' }]],
    [{ id: 'a', function: { name: 'find_order', arguments: '' } }, [{ arguments: '{}' }]],
    [{ id: 'a', function: { name: 'find_order', arguments: { id: '7' } } }, [{ arguments: '{"id":"7"}' }]],
    [{ id: 'a', function: { name: 'find_order' } }, [{ arguments: '{}' }]],
    [{ function: { name: 'find_order', arguments: '{}' } }, [{ id: /./, name: 'find_order' }]],
    [{ id: 'a', function: { name: 'no_such_tool', arguments: '{}' } }, [{ name: 'no_such_tool', arguments: '{}' }]],
  ];
  for (const [said, calls] of cases) {
    answer({ json: toolCalls(said) });
    t.match(await ask(), { kind: 'reply', calls }, JSON.stringify(said));
  }
  answer({ json: { ...toolCalls({ id: 'a', function: { name: 'find_order', arguments: '{}' } }), usage: undefined } });
  t.match(await ask(), { kind: 'reply', tokens: { input: 0, output: 0 } }, 'token counts are optional');
  const both = { id: 'a', type: 'function', function: { name: 'find_order', arguments: '{}' } };
  answer({ json: completion({ content: 'Let me look.', tool_calls: [both, { ...both, id: 'b' }] }) });
  t.match(await ask(), { text: 'Let me look.', calls: [{ id: 'a' }, { id: 'b' }] });
});

t.test('missing content is an empty text', async (t) => {
  const { ask, answer } = await start(t);
  for (const message of [{ content: '' }, { content: null }, {}]) {
    answer({ json: completion(message) });
    t.match(await ask(), { kind: 'reply', text: '', calls: [] }, JSON.stringify(message));
  }
  answer({ json: { choices: [{ message: { role: 'assistant', content: 'bare' } }] } });
  t.match(await ask(), { kind: 'reply', text: 'bare' }, 'a response with only the message');
});

t.test('a response that is not a chat completion is a failure with the reason', async (t) => {
  const { ask, answer } = await start(t);
  const wrong = [
    { text: '<html>' },
    { text: '{"choices"' },
    { json: {} },
    { json: { choices: [] } },
    { json: [] },
    { json: null },
    { text: '' },
  ];
  for (const given of wrong) {
    answer(given);
    t.match(await ask(), { kind: 'failed', code: 'model_bad_answer' }, JSON.stringify(given));
  }
});

t.test('a busy endpoint is retried after its Retry-After, and then the call fails', async (t) => {
  const { ask, answer, asked, clock } = await start(t);
  const busy = { status: 429, json: { error: { message: 'slow down' } } };
  answer({ ...busy, headers: { 'retry-after': '7' } }, { json: completion({ content: 'now' }) });
  const first = clock.during(() => ask());
  await clock.advance(6999);
  t.equal(asked.length, 1);
  await clock.advance(1);
  t.match(await first, { kind: 'reply', text: 'now' });

  answer(busy);
  const second = clock.during(() => ask());
  await clock.advance(60_000);
  t.match(await second, { kind: 'failed', code: 'model_rate_limited', reason: /429: slow down/ });
  t.equal(asked.length, 3, 'three requests in all');

  answer({ ...busy, headers: { 'retry-after': '3600' } });
  t.match(await ask(), { code: 'model_rate_limited' }, 'a Retry-After of an hour is not respected');
  t.equal(asked.length, 1);

  answer({ status: 503, text: 'down' }, { json: completion({ content: 'up' }) });
  const third = clock.during(() => ask());
  await clock.advance(1000);
  t.match(await third, { kind: 'reply', text: 'up' }, 'a broken endpoint is retried too');
});

t.test('a rejected request is not retried', async (t) => {
  const { ask, answer, asked } = await start(t);
  for (const status of [400, 401, 403, 404, 307]) {
    answer({ status, headers: { location: 'https://elsewhere.test/' }, json: { error: { message: `no: ${status}` } } });
    t.match(await ask(), { kind: 'failed', code: 'model_refused', reason: new RegExp(`responded with status ${status}`) });
    t.equal(asked.length, 1, `${status}: no redirect and no retry`);
  }
});

t.test('an endpoint that does not respond times out after 30 seconds; an unreachable one fails immediately', async (t) => {
  const { ask, answer, clock } = await start(t);
  answer('hang');
  const asking = clock.during(() => ask());
  await clock.advance(30_000);
  t.match(await asking, { kind: 'failed', code: 'model_timeout', reason: /30 s/ });
  answer('break');
  t.match(await ask(), { kind: 'failed', code: 'model_unavailable' });
});

t.test('a token that the endpoint echoes appears in no reply or failure', async (t) => {
  const { ask, answer } = await start(t);
  const encoded = Buffer.from(TOKEN).toString('base64');
  answer({ status: 401, json: { error: { message: `Incorrect API key provided: ${TOKEN}` } } });
  t.notMatch(JSON.stringify(await ask()), TOKEN);
  answer({
    json: completion({
      content: `your key is ${TOKEN} or ${encoded}`,
      tool_calls: [{ id: TOKEN, type: 'function', function: { name: 'find_order', arguments: `{"id":"${TOKEN}"}` } }],
    }),
  });
  const said = JSON.stringify(await ask());
  t.match(said, 'your key is ‹redacted› or ‹redacted›');
  t.notMatch(said, TOKEN);
  t.notMatch(said, encoded);
  answer({ text: `${TOKEN} is no JSON` });
  t.notMatch(JSON.stringify(await ask()), TOKEN);
});

t.test('without its packages, the failure says which to install', async (t) => {
  const clock = new ManualClock();
  const missing = async (): Promise<never> => {
    throw Object.assign(new Error("Cannot find package 'ai'"), { code: 'ERR_MODULE_NOT_FOUND' });
  };
  const model = new OpenAiCompatibleModel({ baseUrl: 'http://127.0.0.1:1', token: TOKEN }, { http: { send: missing }, clock }, missing);
  t.match(await model.generate(request), {
    kind: 'failed',
    code: 'model_not_available',
    reason: /npm install ai@6 @ai-sdk\/openai-compatible@2/,
  });
});
