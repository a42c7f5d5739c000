import { type Schema, Validator } from '@cfworker/json-schema';
import t from 'tap';
import type { ContactRecord, MessageRecord, NumberRecord, RecordedCall } from '#core';
import { binned, grouped, rateOf } from '../../../../../plugins/console/app/data/groups.js';
import { csvOf } from '../../../../../plugins/console/app/exports/csv.js';
import { exchangeOfCall, exchangesOfDelivery, harForm } from '../../../../../plugins/console/app/exports/har.js';
import { htmlOf, textOf } from '../../../../../plugins/console/app/exports/transcript-text.js';
import type { DeliveryAnswer } from '../../../../../plugins/console/app/pages/deliveries/records.js';

const text = { type: 'string' } as const;
const number = { type: 'number' } as const;
const required = (properties: Record<string, Schema>, optional: Record<string, Schema> = {}): Schema => ({
  type: 'object',
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
  additionalProperties: false,
});
const pairs: Schema = { type: 'array', items: required({ name: text, value: text }) };
const common: Record<string, Schema> = {
  httpVersion: text,
  cookies: { type: 'array' },
  headers: pairs,
  headersSize: number,
  bodySize: number,
};

/** HAR 1.2: http://www.softwareishard.com/blog/har-12-spec/. */
const HAR: Schema = required({
  log: required({
    version: { const: '1.2' },
    creator: required({ name: text, version: text }),
    entries: {
      type: 'array',
      items: required({
        startedDateTime: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' },
        time: { type: 'number', minimum: 0 },
        request: required(
          { method: text, url: { type: 'string', format: 'uri' }, queryString: pairs, ...common },
          { postData: required({ mimeType: text, text }, { comment: text }) },
        ),
        response: required({
          status: { type: 'integer' },
          statusText: text,
          content: required({ size: { type: 'integer', minimum: 0 }, mimeType: text }, { text, encoding: text }),
          redirectURL: text,
          ...common,
        }),
        cache: { type: 'object' },
        timings: required({ send: number, wait: number, receive: number }, { blocked: number, dns: number, connect: number, ssl: number }),
        comment: text,
      }),
    },
  }),
});
const validator = new Validator(HAR, '2020-12');
const faults = (har: object) => validator.validate(JSON.parse(JSON.stringify(har))).errors.map(({ error }) => error);

const call: RecordedCall = {
  id: 'call-1',
  at: '2027-03-01T08:00:00.000Z',
  method: 'POST',
  path: '/api/v1/messages?a=1&b=%20x',
  route: 'POST /v1/messages',
  number: null,
  status: 400,
  ms: 12,
  error: 'wrong',
  request: {
    headers: [
      ['authorization', 'Bearer …'],
      ['Content-Type', 'application/json'],
    ],
    body: { bytes: 2, text: '{}', cut: true },
    problems: [],
  },
  response: { headers: [['content-type', 'application/json']], body: { bytes: null, text: null, cut: false } },
};

const bytes = (content: string, encoding: 'utf8' | 'base64' = 'utf8') => ({ bytes: 3, encoding, content, cut: false });
const attempt = { uuid: 'a', started_at: call.at, duration_ms: 5, status: 200, error_code: null, response: 'ok', response_headers: {} };
const delivery = (more: object) =>
  ({
    delivery: { uuid: 'd', body_bytes: 2 },
    body: '{}',
    attempts: [attempt, { ...attempt, uuid: 'b', duration_ms: null, status: 502, error_code: 'timeout', response: null }],
    ...more,
  }) as unknown as DeliveryAnswer;

type Exchanges = ReturnType<typeof exchangesOfDelivery>;
function harOf(exchanges: Exchanges) {
  const { around, textOf } = harForm(
    async (all: Exchanges) => all,
    (all) => all,
  );
  return JSON.parse(`${around[0]}${textOf([exchanges])}${around[2]}`);
}

t.test('calls and deliveries are valid HAR 1.2', async (t) => {
  const har = harOf([exchangeOfCall(call, 'http://127.0.0.1:4100/api/')]);
  t.strictSame(faults(har), []);
  const [entry] = har.log.entries;
  t.match(entry, {
    request: { url: 'http://127.0.0.1:4100/api/v1/messages?a=1&b=%20x', postData: { text: '{}', mimeType: 'application/json' } },
    response: { status: 400, bodySize: -1, content: { size: 0 } },
    comment: 'call-1; wrong; a body is cut',
  });
  t.strictSame(entry!.request.queryString, [
    { name: 'a', value: '1' },
    { name: 'b', value: ' x' },
  ]);
  const detail = {
    attempt: 'a',
    url: 'https://hook.test/x',
    request: { headers: [['content-type', 'application/json']], body: bytes('{}') },
    response: { status: 200, headers: [], body: bytes('AP8A', 'base64') },
    timing: { queue: 1, dns: null, connect: 2, tls: 3, wait: 4, read: 5 },
  };
  const exchanges = exchangesOfDelivery(delivery({ details: [detail] }), 'https://hook.test/');
  t.strictSame(faults(harOf(exchanges)), []);
  t.match(harOf(exchanges).log.entries, [
    { response: { content: { encoding: 'base64', text: 'AP8A' } }, timings: { dns: -1, connect: 5, ssl: 3, wait: 4 } },
    { response: { status: 0 }, request: { url: 'https://hook.test/' }, comment: 'd; timeout; headers were not recorded' },
  ]);
  t.not(faults({ log: { ...har.log, entries: [{ ...entry, time: undefined }] } }).length, 0, 'the check finds what is missing');
});

t.test('tables are quoted as in RFC 4180, and no text is a formula', async (t) => {
  const rows = ['plain', 'a,b', 'say "hi"', 'two\r\nlines', '=1+1', '+27820001001', '-1', '@x', ' \t=cmd', '＝1', '', undefined, null];
  const lines = csvOf(rows, { 'a "name"': (value) => value, count: () => -1, is: () => true });
  t.equal(
    lines,
    [
      '"a ""name""",count,is',
      'plain,-1,true',
      '"a,b",-1,true',
      '"say ""hi""",-1,true',
      '"two\r\nlines",-1,true',
      "'=1+1,-1,true",
      "'+27820001001,-1,true",
      "'-1,-1,true",
      "'@x,-1,true",
      "' \t=cmd,-1,true",
      "'＝1,-1,true",
      ',-1,true',
      ',-1,true',
      ',-1,true',
      '',
    ].join('\r\n'),
  );
});

const hostile = '<script>alert(1)</script>"\'&\n2027-03-01 08:00:00 UTC  Library\u2028<img src=x onerror=alert(1)>';
const message = (position: number, more: object) =>
  ({
    uuid: `m${position}`,
    position,
    recorded_at: call.at,
    direction: 'inbound',
    type: 'text',
    statuses: [],
    ...more,
  }) as unknown as MessageRecord;
const talk = {
  contact: { id: '27820001001', address: '27820001001', fields: { name: hostile } } as unknown as ContactRecord,
  number: { name: hostile, address: '+27600000001' } as unknown as NumberRecord,
  messages: [
    message(1, { content: { text: { body: hostile } } }),
    message(2, {
      direction: 'outbound',
      status: 'failed',
      statuses: [{ status: 'failed', errors: [{ code: 131, title: hostile }] }],
      content: { interactive: { body: { text: 'Choose' }, action: { buttons: [{ reply: { id: 'y', title: hostile } }] } } },
    }),
  ],
  isCut: true,
};

t.test('a transcript shows hostile text as text', async (t) => {
  const html = htmlOf(talk);
  t.notMatch(html, /<script|<img/);
  t.match(html, '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;');
  t.match(html, "default-src 'none'");
  t.notMatch(html, /<[a-z][^>]* (src|href)=/, 'it loads nothing');
  const lines = textOf(talk).split('\n');
  t.equal(lines.filter((line) => /^\d{4}-.* UTC {2}/.test(line)).length, 2, 'no line of a text looks like a message');
  t.match(textOf(talk), 'Older messages are not in this file.');
  t.match(textOf(talk), /failed: 131/);
});

t.test('equal rows are one, with a count and a rate', async (t) => {
  const rows = ['a1', 'b1', 'a2', 'a3'];
  const of = (open: string[]) => grouped(rows, { keyOf: (row) => row, sameness: ([letter]) => letter!, open: new Set(open) });
  t.match(of([]), [{ key: 'group a', item: 'a1', members: ['a1', 'a2', 'a3'] }, { key: 'b1' }]);
  t.equal(of([]).length, 2);
  t.strictSame(
    of(['group a']).map(({ key }) => key),
    ['group a', 'a1', 'a2', 'a3', 'b1'],
  );
  t.strictSame([rateOf(5, 0), rateOf(5, 2_000), rateOf(61, 60_000), rateOf(3, 3_600_000)], [undefined, [2, 's'], [1, 's'], [2, 'h']]);
});

t.test('every time is in a bin', async (t) => {
  for (const times of [[5], [5, 5], [0, 1, 2, 1_000_000], Array.from({ length: 200_000 }, (_, n) => n)]) {
    const { counts } = binned(times);
    t.equal(
      counts.reduce((sum, count) => sum + count, 0),
      times.length,
    );
  }
});
