import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Json, JsonObject } from '../../../../core/json.js';
import type { Input } from '../../../../core/turns/input.js';
import type { HttpEffect } from '../../../../plugins/journeys/engine/effect.js';
import { lintJourney } from '../../../../plugins/journeys/engine/lint/lint.js';
import { compileNotebook } from '../../../../plugins/journeys/engine/notebook/notebook.js';
import { render } from '../../../../plugins/journeys/engine/standalone.js';
import type { StepResult } from '../../../../plugins/journeys/engine/step.js';
import { containerOf, type Draft, Talk } from './journey-under-test.js';

const effectOf = ({ next }: StepResult): HttpEffect => {
  if (next.kind !== 'effect' || next.effect.kind !== 'http') throw new Error(`no request, but ${JSON.stringify(next)}`);
  return next.effect;
};
const notebook = (code: string) => {
  const { container, findings } = compileNotebook(code);
  if (!container) throw new Error(JSON.stringify(findings));
  return container;
};

/** The request of a notebook that asks for `a`, computes `made`, and sends it; and the warnings of the turn. */
function request(answer: string, call: string, made = ''): { readonly effect: HttpEffect; readonly warnings: readonly string[] } {
  const container = notebook(
    `card Ask, then: Make do\n  base = "https://api.test"\n  a = ask("?")\nend\ncard Make, then: Get do\n  b = 1\n  ${made}\nend\ncard Get do\n  f = ${call}\nend\n`,
  );
  const talk = new Talk({ main: container });
  talk.start();
  const result = talk.say(answer);
  const warnings = result.events.flatMap((event) => (event.type === 'warning' ? [event.reason] : []));
  return { effect: effectOf(result), warnings };
}
const sent = (answer: string, address: string, made?: string): string => {
  const { url } = request(answer, `get("${address}")`, made).effect;
  return url === '' ? 'refused' : new URL(url as string).href;
};

t.test('what a contact writes stays in its place of an address, also in computed texts', async (t) => {
  const cases: readonly (readonly [answer: string, address: string, wanted: string, made?: string])[] = [
    ['../../admin', 'https://api.test/c/@a/notes', 'https://api.test/c/..%2F..%2Fadmin/notes'],
    ['..', 'https://api.test/c/@a/notes', 'https://api.test/c/%252E%252E/notes'],
    ['.', 'https://api.test/c/.@a/notes', 'https://api.test/c/%252E%252E/notes'],
    ['%2e%2e', 'https://api.test/c/@a/notes', 'https://api.test/c/%252e%252e/notes'],
    ['.\t.', 'https://api.test/c/@a/notes', 'https://api.test/c/.%09./notes'],
    ['..\\..\\x', 'https://api.test/c/@a/notes', 'https://api.test/c/..%5C..%5Cx/notes'],
    ['x?y=1', 'https://api.test/c/@a/notes', 'https://api.test/c/x%3Fy=1/notes'],
    ['x#', 'https://api.test/c/@a/notes', 'https://api.test/c/x%23/notes'],
    ['..;', 'https://api.test/c/@a/notes', 'https://api.test/c/..%3B/notes'],
    ['x&role=admin', 'https://api.test/f?n=@a&role=user', 'https://api.test/f?n=x%26role%3Dadmin&role=user'],
    ['C++ 100%', 'https://api.test/f?n=@a&z', 'https://api.test/f?n=C%2B%2B%20100%25&z'],
    ['x=1', 'https://api.test/f?@a=2', 'https://api.test/f?x%3D1=2'],
    ['x#y', 'https://api.test/f#@a', 'https://api.test/f#x%23y'],
    ['Zoë 👍', 'https://api.test/c/@a', 'https://api.test/c/Zo%C3%AB%20%F0%9F%91%8D'],
    ['a@b.org, 9:30', 'https://api.test/c/@a?n=@a', 'https://api.test/c/a@b.org,%209:30?n=a@b.org,%209:30'],
    ['/x', '@base@a', 'refused'],
    ['.evil.test', '@base@a', 'refused'],
    ['evil', 'https://@a/x', 'refused'],
    ['evil', 'https://x@(a).test/x', 'refused'],
    ['ｅｖｉｌ', 'https://@(a).test/x', 'refused'],
    ['me', 'https://@a@@api.test/x', 'refused'],
    ['https://evil.test/', '@a', 'refused'],
    ['https://evil.test/', '@whole_address(a)', 'https://evil.test/'],
    ['https://evil.test/', '@c', 'https://evil.test/', 'c = whole_address(a)'],
    ['a/b', 'https://api.test/@url_encode(a)?n=@url_encode(a)', 'https://api.test/a%2Fb?n=a%2Fb'],
    ['..', 'https://api.test/c/@url_encode(a)/n', 'https://api.test/c/%252E%252E/n'],
    ['evil', 'https://@url_encode(a)/n', 'refused'],
    ['../x', '@base@c', 'https://api.test/c/..%2Fx', 'c = "/c/@a"'],
    ['Ann', '@base@c', 'https://api.test/c/Ann', 'c = "/c/@a"'],
    ['x?y', '@c', 'https://api.test/c/x%3Fy', 'c = concatenate("https://api.test/c/", a)'],
    ['A/B', '@c', 'https://api.test/c/a%2Fb', 'c = "https://api.test/c/@lower(a)"'],
    ['LOCALHOST', 'https://@lower(a)/x', 'refused'],
    ['LOCALHOST', '@c', 'refused', 'c = "https://@lower(a)/x"'],
    ['Zoë9', 'https://api.test/@c', 'https://api.test/zo%C3%AB9', 'c = lower(a)'],
    ['A/B', 'https://api.test/c/@upper(a)', 'https://api.test/c/A%2FB'],
    ['evil', '@c', 'refused', 'c = "https://@a/x"'],
    ['../x', 'https://api.test/@c[0]', 'https://api.test/..%2Fx', 'c = [a, "2"]'],
    ['../x', 'https://api.test/@results.a.value/y', 'https://api.test/..%2Fx/y'],
    ['+27 82', 'https://api.test/f?n=@c', 'https://api.test/f?n=%2B27%2082', 'c = substitute(a, "+", "%2B")'],
    ['a/b', 'https://api.test/@c', 'https://api.test/v1/x', 'c = if(a == "a/b", "v1/x", "v2")'],
    ['a/b', '@c', 'https://api.test/v1', 'c = if(has_text(a), "@base/v1", "v2")'],
  ];
  for (const [answer, address, wanted, made] of cases)
    t.equal(sent(answer, address, made), wanted, `${address} with ${answer} ${made ?? ''}`);
  t.match(request('evil', 'get("https://@a/x")').warnings.join(), /text of a contact would choose/, 'a refusal says why');
});

t.test('contact fields, forms, callers and called flows are followed; values of services and constants keep their structure', async (t) => {
  const about = (contact: JsonObject, globals: JsonObject, url: string): string => {
    const talk = new Talk({ main: containerOf({ blocks: [{ name: 'get', type: 'Svc.Http', config: { url } }] }) });
    const { url: address } = effectOf(talk.start({ contact, globals }));
    return String(address);
  };
  const event = { message: { text: { body: '../x' } } };
  t.equal(about({}, { event }, 'https://api.test/@event.message.text.body/y'), 'https://api.test/..%2Fx/y');
  t.equal(about({ name: '../x' }, {}, 'https://api.test/@contact.name'), 'https://api.test/..%2Fx');
  t.equal(about({}, { global: { base: 'https://api.test/v1?a=b&' } }, '@global.base'), 'https://api.test/v1?a=b&');
  const called: Draft = {
    flows: {
      main: [
        { name: 'a', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'q' } },
        { name: 'sub', type: 'Core.RunFlow', config: { flow_id: 'sub', args: { path: "concatenate('/p/', a)" } } },
        { name: 'after', type: 'Svc.Http', config: { url: 'https://api.test@child.made/@child.asked' } },
      ],
      sub: [
        { name: 'asked', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'q' } },
        { name: 'made', type: 'Core.Output', config: { value: "concatenate('/m/', asked)" } },
        { name: 'inside', type: 'Svc.Http', config: { url: 'https://api.test@parent.path/@parent.a' } },
      ],
    },
    texts: { q: '?' },
  };
  const talk = new Talk({ main: containerOf(called) });
  talk.start();
  talk.say('a/1');
  t.equal(effectOf(talk.say('b/2')).url, 'https://api.test/p/a%2F1/a%2F1');
  const call = {
    method: 'GET',
    url: '',
    headers: {},
    body: null,
    json: null,
    query: {},
    params: {},
    status: 200,
    mocked: true,
    failures: [],
  };
  const answered = talk.send({ kind: 'result', value: { kind: 'http', call, answer: { status: 200, headers: {}, body: '{}' } } });
  t.equal(effectOf(answered).url, 'https://api.test/m/b%2F2/b%2F2');

  const service = new Talk({
    main: notebook('card A, then: B do\n  f = get("https://api.test/")\nend\ncard B do\n  g = get("@f.body.next")\nend\n'),
  });
  service.start();
  const body = '{"next":"https://api.test/page?after=a/b&n=2"}';
  const followed = service.send({ kind: 'result', value: { kind: 'http', call, answer: { status: 200, headers: {}, body } } });
  t.equal(effectOf(followed).url, 'https://api.test/page?after=a/b&n=2');
});

t.test('a printed text cannot end its string in a JSON body, nor its pair in a form', async (t) => {
  const bodyOf = (answer: string, body: string, made?: string, headers = ''): string =>
    String(request(answer, `post("https://api.test/", body: ${JSON.stringify(body)}${headers})`, made).effect.body);
  const answers = ['Ann', '", "admin": "1', 'a\\', '\\n \\u0041', 'line\nline', 'Zoë 👍', '5'];
  for (const answer of answers) {
    t.strictSame(JSON.parse(bodyOf(answer, '{"n": "@a", "x": 1}')), { n: answer, x: 1 }, `in a string: ${answer}`);
    t.strictSame(JSON.parse(bodyOf(answer, '{"n": @json(a)}')), { n: answer }, `as JSON: ${answer}`);
    t.strictSame(JSON.parse(bodyOf(answer, '@c', 'c = "{\\"n\\": \\"@a\\"}"')), { n: answer }, `computed: ${answer}`);
    t.strictSame(JSON.parse(bodyOf(answer, '{"n": @a}')).n, answer === '5' ? 5 : answer, `outside of a string: ${answer}`);
  }
  t.equal(bodyOf('x&b=2', 'a=@a&b=1', '', ', headers: [["Content-Type", "application/x-www-form-urlencoded"]]'), 'a=x%26b%3D2&b=1');
  t.equal(bodyOf('x "y"', 'Hello @a'), 'Hello x "y"');
  t.equal(bodyOf('Ann', '[@a] says "hi"'), '[Ann] says "hi"');
});

t.test('lint names text of contacts in a host and outside of the strings of JSON', async (t) => {
  const codes = (call: string, made = '') => {
    const container = notebook(`card Ask, then: Get do\n  a = ask("?")\n  ${made}\nend\ncard Get do\n  f = ${call}\nend\n`);
    return lintJourney(container).flatMap(({ code }) => (code.startsWith('contact_') ? [code] : []));
  };
  t.strictSame(codes('get("https://@a/x")'), ['contact_chooses_host']);
  t.strictSame(codes('get("@a")'), ['contact_chooses_host']);
  t.strictSame(codes('get("https://@c.test/x")', 'c = lower(a)'), ['contact_chooses_host']);
  t.strictSame(codes('post("https://x.test", body: "{\\"n\\": @a}")'), ['contact_outside_string']);
  for (const call of [
    'get("https://x.test/@a?b=@a")',
    'get("@whole_address(a)")',
    'post("https://x.test", body: "{\\"n\\": \\"@a\\", \\"m\\": @json(a)}")',
  ])
    t.strictSame(codes(call), [], call);
  t.strictSame(codes('get("@c")', 'c = "https://x.test/@a"'), []);
});

t.test(
  'answers in a form are encoded as every text of a contact: of the network and as JSON, nested, in lists, in variables',
  async (t) => {
    const answers = { name: '../../admin', street: { no: '5#' }, likes: ['a/b', 'x&y=1'], age: 34, ok: true };
    const urls = [
      'https://api.test/c/@form.payload.name/notes?no=@form.payload.street.no&b=1',
      'https://api.test/@form.payload.likes[0]?l=@form.payload.likes[1]&age=@form.payload.age&ok=@form.payload.ok',
      'https://api.test/@results.form.value.payload.name?n=@(upper(copy.name))&b=@copy.street.no',
      'https://@(form.payload.name)/x',
    ];
    const body = '{"name": "@form.payload.name", "likes": @json(form.payload.likes)}';
    const blocks = [
      { name: 'form', type: 'Svc.FlowMessage', config: { prompt: 'q', flow: { flow_id: '1', cta: 'Open', screen: 'A' } } },
      { name: 'copy', type: 'Core.Output', config: { value: 'form.payload' } },
      { name: 'get', type: 'Svc.Http', config: { url: '', body } },
    ];
    const hrefs = (more: Partial<Input>): readonly unknown[] =>
      urls.map((url) => {
        const withUrl = blocks.map((block) => (block.name === 'get' ? { ...block, config: { url, body } } : block));
        const talk = new Talk({ main: containerOf({ blocks: withUrl, texts: { q: '?' } }) });
        talk.start();
        const effect = effectOf(talk.say('', { type: 'interactive', ...more }));
        t.strictSame(JSON.parse(String(effect.body)), { name: '../../admin', likes: answers.likes });
        return effect.url;
      });
    const wanted = [
      'https://api.test/c/..%2F..%2Fadmin/notes?no=5%23&b=1',
      'https://api.test/a%2Fb?l=x%26y%3D1&age=34&ok=true',
      'https://api.test/..%2F..%2Fadmin?n=../../ADMIN&b=5%23',
      '',
    ];
    const response_json = JSON.stringify(answers);
    const message = { type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json } } };
    t.strictSame(hrefs({ message }), wanted, 'the reply of the network');
    t.strictSame(hrefs({ text: response_json, type: 'text' }), wanted, 'a text that is JSON');
  },
);

t.test('the label of an option is text of the author, unless it prints what the contact wrote', async (t) => {
  const sentAfter = (code: string, answers: readonly string[], call: string): string => {
    const talk = new Talk({ main: notebook(`card Ask, then: Menu do\n  a = ask("?")\nend\n${code}\ncard Get do\n  f = ${call}\nend\n`) });
    talk.start();
    const results = answers.map((answer) => talk.say(answer));
    return String(effectOf(results.at(-1)!).url);
  };
  const call = 'get("https://api.test/x/@m.label?n=@m.label&r=@m.name")';
  const menu = (label: string) => `card Menu do\n  m = buttons(Get: "${label}") do\n    text("Which?")\n  end\nend`;
  t.equal(sentAfter(menu('A/B & C'), ['Ann', 'A/B & C'], call), 'https://api.test/x/A/B & C?n=A/B & C&r=get');
  t.equal(sentAfter(menu('A/B & C'), ['Ann', '1'], call), 'https://api.test/x/A/B & C?n=A/B & C&r=get', 'chosen by number');
  t.equal(sentAfter(menu('../@a'), ['x?y', '1'], call), 'https://api.test/x/..%2Fx%3Fy?n=../x?y&r=get', 'a label with an answer');
  const list = (options: string) => `card Menu do\n  m = buttons(Get, map(${options}, &[&1, &1])) do\n    text("Which?")\n  end\nend`;
  t.equal(sentAfter(list('["A/B", "C"]'), ['Ann', 'A/B'], call), 'https://api.test/x/A/B?n=A/B&r=A/B', 'computed from constants');
  t.equal(
    sentAfter(list('["s/t", a]'), ['../admin', '2'], call),
    'https://api.test/x/..%2Fadmin?n=../admin&r=../admin',
    'computed from an answer',
  );
  const response = 'get("https://api.test/x/@block.response")';
  t.equal(sentAfter(menu('A'), ['Ann', 'a'], response), 'https://api.test/x/a');
});

t.test('requests with plain answers are byte for byte what they were before text of contacts was encoded', async (t) => {
  const written: readonly Recorded[] = JSON.parse(readFileSync(join(import.meta.dirname, 'plain-requests.json'), 'utf8'));
  const contact = { name: 'Ann Lee', town: 'São Paulo', id: 'c-1', phone: '27821234567', uuid: '7f4a', age: 34, language: 'eng' };
  const reply = { status: 200, body: { next: 'https://api.example/page?after=a/b', id: 17, items: [{ id: 'x1' }] } };
  const globals = { global: { base: 'https://api.example/v1' }, reply, a: reply, f: reply, order: { id: 'A-17', items: [1, 2] } };
  for (const { from, type, config, requests } of written) {
    for (const [answers, wanted] of requests) {
      const questions = Object.keys(answers).map((name) => ({ name, type: 'MobilePrimitives.OpenResponse', config: { prompt: 'q' } }));
      const talk = new Talk({ main: containerOf({ blocks: [...questions, { name: 'get', type, config }], texts: { q: '?' } }) });
      let result = talk.start({ contact: { ...contact, whatsapp_id: contact.phone }, globals });
      for (const answer of Object.values(answers)) result = talk.say(answer);
      const { url, query, headers, body } = effectOf(result);
      const sent = Object.entries({ url, query, headers, body }).filter(([, value]) => value !== null && value.length > 0);
      t.strictSame(Object.fromEntries(sent), wanted, `${from}: ${JSON.stringify(config)} with ${JSON.stringify(answers)}`);
    }
  }
  t.ok(written.length > 90, `${written.length} templates`);
});

/** A template, and what each group of answers made of it at the last commit before encoding; parts that were empty are left out. */
interface Recorded {
  readonly from: string;
  readonly type: string;
  readonly config: JsonObject;
  readonly requests: readonly (readonly [answers: Readonly<Record<string, string>>, sent: JsonObject])[];
}

/** Every address and body of the fixtures of this repository. */
function requestsIn(value: Json, found: JsonObject[] = []): readonly JsonObject[] {
  if (Array.isArray(value)) for (const item of value) requestsIn(item, found);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return found;
  const { url, body } = value as JsonObject;
  if (typeof url === 'string' && url.includes('://')) found.push({ url, body: typeof body === 'string' ? body : null });
  for (const item of Object.values(value as JsonObject)) requestsIn(item, found);
  return found;
}

t.test('requests of the fixtures with plain values are what their templates print', async (t) => {
  const root = join(import.meta.dirname);
  const files = ['step', 'notebook/cases'].flatMap((folder) => readdirSync(join(root, folder)).map((file) => join(root, folder, file)));
  const fixtures = files.flatMap((file) => (file.endsWith('.json') ? requestsIn(JSON.parse(readFileSync(file, 'utf8'))) : []));
  t.ok(fixtures.length > 15, `${fixtures.length} requests`);
  const contact = { name: 'Ann Lee', town: 'São Paulo', id: 'c-1', phone: '27821234567' };
  for (const { url, body = null } of fixtures as unknown as readonly { url: string; body: string | null }[]) {
    if (/@secrets/.test(`${url}${body}`)) continue;
    const names = { contact, order_no: 'A-17' };
    const talk = new Talk({ main: containerOf({ blocks: [{ name: 'get', type: 'Svc.Http', config: { url, body } }] }) });
    const effect = effectOf(talk.start({ contact, globals: { order_no: 'A-17' } }));
    t.strictSame([effect.url, effect.body], [render(url, names).value, body && render(body, names).value], url);
  }
});
