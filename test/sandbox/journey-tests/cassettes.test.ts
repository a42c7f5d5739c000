import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import type { EffectResult, HttpEffect, ModelEffect } from '../../../plugins/journeys/engine/effect.js';
import type { Perform } from '../../../plugins/journeys/running/run-turn.js';
import { Cassette, cassetteOf } from '../../../sandbox/journey-tests/cassettes/cassette.js';
import { defaultRecordMode, type RecordMode } from '../../../sandbox/journey-tests/cassettes/record-mode.js';
import { type Account, openEffectsPlatform } from '../../../sandbox/journey-tests/run/effects-platform.js';

const http = (url: string, about: Partial<HttpEffect> = {}): HttpEffect => ({
  kind: 'http',
  method: 'GET',
  url,
  query: [],
  headers: [],
  body: null,
  timeoutMs: 5_000,
  cacheMs: 60_000,
  retry: { max: 0, on: [] },
  deferred: false,
  ...about,
});

const prompt = (text: string, about: Partial<ModelEffect> = {}): ModelEffect => ({
  kind: 'model',
  connection: 'helper',
  model: '',
  messages: [{ role: 'user', content: text }],
  tools: [],
  ...about,
});

function newFile(t: Tap): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-cassette-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'cassettes', 'shop.jsonl');
}

/** Answers with the number of the request, so that a test sees which request an answer belongs to. */
function counting(): { live: Perform; sent: () => number } {
  let sent = 0;
  return {
    sent: () => sent,
    async live(effect) {
      sent++;
      if (effect.kind === 'model') {
        const connection = { uuid: 'u', name: 'helper', vendor: 'openai-compatible', model: 'm' };
        return { kind: 'model', connection, text: `reply ${sent}`, calls: [], tokens: { input: 1, output: 2 }, elapsedMs: 3 };
      }
      const { url, method, body } = effect as HttpEffect;
      const call = { method, url: url as string, headers: {}, body: body as string, json: null, query: {}, params: {} };
      return {
        kind: 'http',
        call: { ...call, status: 200, mocked: false, failures: [] },
        answer: { status: 200, headers: { 'content-type': 'application/json' }, body: `{"answer":${sent}}` },
      };
    },
  };
}

/** Sends requests from a platform in memory. */
async function performLive(t: Tap, account: Account): Promise<Perform> {
  const { context, numberWith, close } = await openEffectsPlatform();
  t.teardown(close);
  return context.journeys.performer(await numberWith(account));
}

const never: Perform = async () => {
  throw new Error('nothing may be sent');
};
const answerOf = (result: EffectResult) => (result.kind === 'http' ? result.answer?.body : result.kind === 'model' ? result.text : result);
const failureOf = (result: EffectResult) =>
  result.kind === 'http' ? result.call.failures[0] : result.kind === 'failed' ? result.reason : undefined;

t.test('a recorded request and a recorded prompt get the answers of the file', async (t) => {
  const file = newFile(t);
  const { live, sent } = counting();
  const recording = new Cassette(file, 'new');
  const record = recording.player(live);
  await record(http('https://shop.test/stock?item=7'));
  await record(prompt('Where is my order of 2027-03-01?'));
  t.equal(existsSync(file), false, 'nothing is written before the tests end');
  recording.save();
  t.equal(recording.recorded, 2);
  t.equal(sent(), 2);

  const play = new Cassette(file, 'none').player(never);
  t.match(await play(http('https://shop.test/stock?item=7')), {
    kind: 'http',
    call: { status: 200, url: 'https://shop.test/stock?item=7' },
    answer: { status: 200, headers: { 'content-type': 'application/json' }, body: '{"answer":1}' },
  });
  t.match(await play(prompt('Where is my order of 2027-04-02?')), { kind: 'model', text: 'reply 2', connection: { name: 'helper' } });
});

t.test('`new` sends only requests without a recording, and `all` sends every request once', async (t) => {
  const file = newFile(t);
  const run = async (mode: RecordMode, urls: readonly string[]) => {
    const { live, sent } = counting();
    const cassette = new Cassette(file, mode);
    const play = cassette.player(live);
    const answers = [];
    for (const url of urls) answers.push(answerOf(await play(http(url))));
    cassette.save();
    return { sent: sent(), answers };
  };
  t.equal((await run('new', ['https://a.test/1', 'https://a.test/2'])).sent, 2);
  t.strictSame(await run('new', ['https://a.test/2', 'https://a.test/3']), { sent: 1, answers: ['{"answer":2}', '{"answer":1}'] });
  t.strictSame(await run('all', ['https://a.test/3', 'https://a.test/2']), { sent: 2, answers: ['{"answer":1}', '{"answer":2}'] });
  t.strictSame(
    await run('none', ['https://a.test/1', 'https://a.test/2', 'https://a.test/3']),
    { sent: 0, answers: ['{"answer":1}', '{"answer":2}', '{"answer":1}'] },
    'a request that `all` did not meet keeps its recording',
  );
});

t.test('equal requests get the recorded answers in order, each test from the first', async (t) => {
  const file = newFile(t);
  const { live } = counting();
  const recording = new Cassette(file, 'new');
  const record = recording.player(live);
  for (const _ of [1, 2]) await record(http('https://a.test/state'));
  recording.save();
  const cassette = new Cassette(file, 'none');
  const [one, other] = [cassette.player(never), cassette.player(never)];
  const answers = [];
  for (const play of [one, one, one, other]) answers.push(answerOf(await play(http('https://a.test/state'))));
  t.strictSame(answers, ['{"answer":1}', '{"answer":2}', '{"answer":2}', '{"answer":1}']);
});

t.test('the order of the file does not depend on the order of the tests', async (t) => {
  const written = [];
  for (const urls of [
    ['https://a.test/1', 'https://b.test/2'],
    ['https://b.test/2', 'https://a.test/1'],
  ]) {
    const file = newFile(t);
    const live: Perform = async (effect) => {
      const result = await counting().live(effect);
      return result;
    };
    const cassette = new Cassette(file, 'new');
    await Promise.all(urls.map((url) => cassette.player(live)(http(url))));
    cassette.save();
    written.push(readFileSync(file, 'utf8'));
  }
  t.equal(written[0], written[1]);
});

t.test('two tests that make the same request at the same time record it once', async (t) => {
  const { live, sent } = counting();
  const cassette = new Cassette(newFile(t), 'new');
  await Promise.all([1, 2, 3].map(() => cassette.player(live)(http('https://a.test/1'))));
  t.equal(sent(), 1);
});

t.test('a stale cassette names the request without a match, and where the nearest one differs', async (t) => {
  const file = newFile(t);
  const { live } = counting();
  const recording = new Cassette(file, 'new');
  const record = recording.player(live);
  await record(http('https://clinic.test/slots/2027-01-06?limit=3'));
  await record(http('https://clinic.test/book', { method: 'POST', body: '{"day":"2027-01-06","slot":"09:00"}' }));
  await record(prompt('I need a slot', { tools: [{ name: 'find_slots', description: 'Finds slots', parameters: {} }] }));
  recording.save();
  const play = new Cassette(file, 'none').player(never);
  t.equal(
    failureOf(await play(http('https://clinic.test/slots/2027-01-07?limit=3'))),
    `no recording of GET https://clinic.test/slots/2027-01-07?limit=3 in ${file}; the nearest, GET https://clinic.test/slots/2027-01-06?limit=3, differs at "7?limit=3", where "6?limit=3" was recorded. Record it with: npx posthorn test --record=new`,
  );
  t.match(await play(http('https://clinic.test/x')), { answer: null, error: 'not_recorded' });
  t.match(
    failureOf(await play(http('https://clinic.test/book', { method: 'POST', body: '{"day":"2027-01-06","slot":"10:00"}' }))),
    'differs on line 3 of its body: "slot": "09:00" was recorded, "slot": "10:00" was requested',
  );
  t.match(failureOf(await play(http('https://clinic.test/slots/2027-01-06?limit=3', { method: 'DELETE' }))), 'has another method');
  t.match(failureOf(await play(prompt('I need a taxi'))), /no recording of model helper .*"content": "I need a slot" was recorded/);
  const empty = new Cassette(newFile(t), 'none').player(never);
  t.match(failureOf(await empty(http('https://a.test/'))), 'nothing like it is recorded');
});

t.test('no byte of a cassette belongs to a credential, however it is sent, answered or encoded', async (t) => {
  const random = (): string => crypto.randomUUID().replaceAll('-', '');
  const secrets: Record<string, string> = Object.fromEntries(
    'named bearer basic key cookie login refresh session nested form path echoed quoted model userinfo xml jwt late'
      .split(' ')
      .map((name) => [name, `${name}/+"ä${random()}`]),
  );
  secrets.bearer = `bearer-${random()}`;
  secrets.jwt = `eyJ${random()}.eyJ${random()}.${random()}`;
  secrets.cookie = random();
  const { named, bearer, basic, key, cookie, login, refresh, session, nested, form, echoed, quoted, model, userinfo, xml, jwt, late } =
    secrets;
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    if (request.url === '/v1/chat/completions') {
      response.setHeader('content-type', 'application/json');
      const message = { role: 'assistant', content: `the key is ${request.headers.authorization}, and ${nested}` };
      return response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    }
    response.setHeader('set-cookie', [`sid=${cookie}; Path=/; Expires=Wed, 21 Oct 2037 07:28:00 GMT`, 'lang=en']);
    response.setHeader('x-session-key', session!);
    response.setHeader('content-type', 'application/json');
    const echo = { headers: request.headers, url: request.url, body, plain: Buffer.from(echoed!).toString('base64') };
    if (request.url === '/form') return response.end(`access_token=${encodeURIComponent(form!)}&lang=en`);
    if (request.url === '/xml') return response.end(`<a><ns:password>${xml}</ns:password><b>${jwt}</b></a>`);
    // A value that is known as a credential only when a later request sends it.
    if (request.url === '/early') return response.end(JSON.stringify({ id: late }));
    return response.end(JSON.stringify({ access_token: login, data: { refreshToken: refresh, client_secret: nested }, echo }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const file = newFile(t);
  const live = await performLive(t, {
    secrets: { crm: named! },
    models: { helper: { base_url: `${base}/v1`, model: 'm', token: model! } },
  });
  const cassette = new Cassette(file, 'new');
  const record = cassette.player(live);
  const effects = [
    http(`${base}/early`),
    http(base, { url: [`${base}/bot`, { secret: 'crm' }, '/me'] }),
    http(base, {
      query: [
        ['key', key!],
        ['lang', 'en'],
      ],
      headers: [['Authorization', `Bearer ${bearer}`]],
    }),
    http(base, { headers: [['authorization', ['Basic ', { secret: 'crm' }]]] }),
    http(base, {
      headers: [
        ['authorization', `Basic ${Buffer.from(`me:${basic}`).toString('base64')}`],
        ['x-api-key', echoed!],
      ],
    }),
    http(`${base}/form`, { method: 'POST', body: `password=${encodeURIComponent(form!)}&lang=en` }),
    http(`${base}/json`, { method: 'POST', body: JSON.stringify({ deep: { client_secret: quoted, lang: 'en' } }) }),
    http(`${base}/path/${encodeURIComponent(login!)}/x`),
    http(base.replace('//', `//me:${encodeURIComponent(userinfo!)}@`)),
    http(`${base}/xml`),
    http(base, { headers: [['X-Auth-Token', late!]] }),
    prompt('hello'),
  ];
  for (const effect of effects) t.notMatch(await record(effect), { kind: 'failed' });
  cassette.save();
  t.equal(cassette.recorded, effects.length - 1, 'a URL with a user name is refused by the HTTP client, and not recorded');

  const folder = join(file, '..');
  const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  for (const [name, secret] of Object.entries(secrets)) {
    const forms = [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    ];
    const doubled = JSON.stringify(forms[2]).slice(1, -1);
    for (const form of [...forms, doubled])
      for (const content of bytes) t.notOk(content.includes(form), `${name} as ${form.slice(0, 12)}…`);
  }
  t.match(readFileSync(file, 'utf8'), 'lang=en', 'the rest of the exchange is readable');
  for (const name of ['access_token', 'header X-Auth-Token', 'key'])
    t.ok(cassette.masked.includes(name), `the report says that ${name} was masked`);

  const play = new Cassette(file, 'none').player(never);
  for (const effect of effects.filter((effect) => effect !== effects[8])) {
    const result = await play(effect);
    t.equal(failureOf(result), undefined, 'the masked recording still matches its request');
  }
});

t.test('a request that needs a masked credential is not sent with the mask', async (t) => {
  const file = newFile(t);
  const token = crypto.randomUUID();
  const live: Perform = async (effect) => {
    const result = await counting().live(effect);
    return result.kind === 'http' ? { ...result, answer: { ...result.answer!, body: JSON.stringify({ access_token: token }) } } : result;
  };
  const recording = new Cassette(file, 'new');
  t.match(answerOf(await recording.player(live)(http('https://a.test/login'))), token, 'a run that records passes the real token on');
  t.match(answerOf(await recording.player(live)(http('https://a.test/login'))), token, 'to its other tests too');
  recording.save();
  const cassette = new Cassette(file, 'new');
  const play = cassette.player(never);
  const masked = JSON.parse(String(answerOf(await play(http('https://a.test/login'))))).access_token;
  t.match(failureOf(await play(http('https://a.test/me', { headers: [['authorization', `Bearer ${masked}`]] }))), /--record=all/);
});

t.test('a request that fails to connect is not recorded, and a deferred one gets its answer after the turn', async (t) => {
  const file = newFile(t);
  const live = await performLive(t, { secrets: {}, models: {} });
  const cassette = new Cassette(file, 'new');
  t.match(await cassette.player(live)(http('http://127.0.0.1:9/')), { kind: 'http', answer: null, error: 'unreachable' });
  cassette.save();
  t.equal(existsSync(file), false);
  const { live: counted } = counting();
  const other = new Cassette(file, 'new');
  t.match(await other.player(counted)(http('https://a.test/1', { deferred: true })), {
    kind: 'deferred',
    call: { url: 'https://a.test/1' },
  });
  t.equal(other.recorded, 1);
});

t.test('a damaged line is reported with the file and its number', async (t) => {
  const file = newFile(t);
  const cassette = new Cassette(file, 'new');
  await cassette.player(counting().live)(http('https://a.test/1'));
  cassette.save();
  const good = readFileSync(file, 'utf8').trimEnd();
  const open = (lines: readonly string[]) => () => {
    writeFileSync(file, lines.join('\r\n'));
    return new Cassette(file, 'none');
  };
  t.doesNotThrow(open([good, '', good]), 'Windows line ends and empty lines');
  t.throws(open([good, '{"v":1,"request":"GET x"}']), /shop\.jsonl:2 is not a recording: .*must contain at least one of/);
  t.throws(open(['{nonsense']), /shop\.jsonl:1 is not a recording/);
  t.throws(open([good.replace('"v":1', '"v":2')]), /"v" must be/);
});

t.test('each test file has its own cassette, under its path below the folder of the run', async (t) => {
  t.equal(cassetteOf('journeys/shop.test.yaml', '/home/app'), '/home/app/.posthorn/cassettes/journeys/shop.jsonl');
  t.equal(cassetteOf('/home/other/shop.test.yml', '/home/app'), '/home/other/.posthorn/cassettes/shop.jsonl');
});

t.test('in continuous integration nothing is recorded unless a flag says so', async (t) => {
  t.equal(defaultRecordMode({ CI: 'true' }), 'none');
  t.equal(defaultRecordMode({ CI: '1' }), 'none');
  for (const CI of ['', 'false', '0', undefined]) t.equal(defaultRecordMode({ CI }), 'new');
});

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
