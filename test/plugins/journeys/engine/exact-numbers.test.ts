import t from 'tap';
import { exactJson, type JsonObject, readAnswer, readExactJson, readJsonText, readShownJson } from '../../../../core/json.js';
import { readContext } from '../../../../plugins/journeys/engine/context.js';
import { compileNotebook } from '../../../../plugins/journeys/engine/notebook/notebook.js';
import { readReport } from '../../../../plugins/journeys/engine/report-text.js';
import type { Session, Signal } from '../../../../plugins/journeys/engine/session.js';
import { shareDefinition } from '../../../../plugins/journeys/engine/shared-definition.js';
import { evaluate as evaluateAlone, render as renderAlone } from '../../../../plugins/journeys/engine/standalone.js';
import { runStep } from '../../../../plugins/journeys/engine/step.task.js';
import { containerOf, seen, Talk } from './journey-under-test.js';

const text = (expression: string, context: JsonObject = {}): string => renderAlone(`@(${expression})`, context).value;

t.test('integers of any size keep their digits', async (t) => {
  const pairs: readonly (readonly [string, string])[] = [
    ['9007199254740993', '9007199254740993'],
    ['9007199254740993 + 1', '9007199254740994'],
    ['-9007199254740993', '-9007199254740993'],
    ['9007199254740991 + 2', '9007199254740993'],
    ['9007199254740993 - 9007199254740992', '1'],
    ['12345678901234567890 * 10', '123456789012345678900'],
    ['123456789 * 987654321', '121932631112635269'],
    ['2 ^ 64', '18446744073709551616'],
    ['power(3, 40)', '12157665459056928801'],
    ['12345678901234567890 / 10', '1234567890123456789'],
    ['12345678901234567890 % 7', String(12345678901234567890n % 7n)],
    ['rem(-12345678901234567890, 7)', String(-12345678901234567890n % 7n)],
    ['abs(-12345678901234567890)', '12345678901234567890'],
    ['sum([9007199254740993, 1])', '9007199254740994'],
    ['max(9007199254740992, 9007199254740993)', '9007199254740993'],
    ['round(12345678901234567890, 2)', '12345678901234567890'],
    ['fixed(12345678901234567890, 1)', '12,345,678,901,234,567,890.0'],
    ["'12345678901234567891' + 0", '12345678901234567891'],
    ['json([12345678901234567890, 5])', '[12345678901234567890,5]'],
    ['parse_json(\'{"id": 12345678901234567890}\').id', '12345678901234567890'],
    ['json(parse_json(\'[12345678901234567890, "12345678901234567890", 1.5]\'))', '[12345678901234567890,"12345678901234567890",1.5]'],
    ['9007199254740993 = 9007199254740992', 'false'],
    ["9007199254740993 = '9007199254740993'", 'true'],
    ['9007199254740993 > 9007199254740992', 'true'],
    ['9007199254740993 < 9007199254740992.5', 'false'],
    ['isnumber(9007199254740993) & isstring(9007199254740993)', 'truefalse'],
    ["has_number('id 9007199254740993').number", '9007199254740993'],
    ['1e21', '1000000000000000000000'],
    ['1 / 3 * 3', '1'],
    ['10 ^ 400', '@(10 ^ 400)'],
    ['left("abc", 9007199254740993)', '@(left("abc", 9007199254740993))'],
  ];
  for (const [expression, printed] of pairs) t.equal(text(expression), printed, expression);
  t.equal(evaluateAlone('9007199254740993').value, '9007199254740993', 'a text where a double would round');
  t.equal(evaluateAlone('9007199254740993 + 1').value, 9007199254740994);
  t.strictSame(evaluateAlone('[9007199254740993]').value, ['9007199254740993']);
});

t.test('decimals print as people write them', async (t) => {
  const pairs: readonly (readonly [string, string])[] = [
    ['100 * 1.1', '110'],
    ['4.95 * 3', '14.85'],
    ['0.1 + 0.2', '0.3'],
    ['1.1 + 2.2', '3.3'],
    ['1 - 0.9', '0.1'],
    ['4.35 * 100', '435'],
    ['1.15 * 100', '115'],
    ['8.2 - 0.2', '8'],
    ['0.3 / 0.1', '3'],
    ['0.3 % 0.1', '0'],
    ['5.5 % 2', '1.5'],
    ['1.1 ^ 2', '1.21'],
    ['sum(0.1, 0.2, 0.3)', '0.6'],
    ['1 / 3', '0.3333333333333333'],
    ['2 / 3', '0.6666666666666666'],
    ['0.000001 * 0.1', '0.0000001'],
    ['1.5e-7 * 3', '0.00000045'],
    ['0.1 + 0.2 = 0.3', 'true'],
    ['0.1 + 0.2 > 0.3', 'false'],
    ['100 * 1.1 <= 110', 'true'],
    ['0.30000001 > 0.3', 'true'],
    ['json([100 * 1.1, 1 / 3])', '[110,0.3333333333333333]'],
    ['left("abcdef", 0.1 * 30)', 'abc'],
    ['round(1.005 * 1000)', '1005'],
    ['fixed(1234.5, 2)', '1,234.50'],
    ['fixed(1234.5, 2, true)', '1,234.50'],
    ['fixed(1234.5, 2, false)', '1234.50'],
    ["fixed('1234.5', 0, 1 = 2)", '1235'],
    ['latitude', '-33.92486871234568'],
  ];
  for (const [expression, printed] of pairs) t.equal(text(expression, { latitude: -33.92486871234568 }), printed, expression);
});

const reply = (body: string): Signal =>
  ({
    kind: 'result',
    value: {
      kind: 'http',
      call: {
        method: 'GET',
        url: 'https://a.test/',
        headers: {},
        body: null,
        json: null,
        query: {},
        params: {},
        status: 200,
        mocked: true,
        failures: [],
      },
      answer: { status: 200, headers: { 'content-type': 'application/json' }, body },
    },
  }) as Signal;

t.test('an integer of a service is exact in texts, addresses, bodies and after the next message', async (t) => {
  const { container } = compileNotebook(`card A do
  f = get("https://a.test/")
  total = f.body.order.id + 1
  next = ask("@f.body.order.id @total")
  update_contact(order: "@f.body.order.id")
  write_result("order", f.body.order.id)
  post("https://a.test/@f.body.order.id", body: "@json(f.body)")
end
`);
  const talk = new Talk({ main: container! });
  talk.start();
  t.strictSame(seen(talk.send(reply('{"order":{"id":12345678901234567890,"small":7,"text":"12345678901234567890"}}'))), [
    '12345678901234567890 12345678901234567891',
  ]);
  const { next, session } = talk.say('on');
  t.match(next, {
    effect: {
      url: 'https://a.test/12345678901234567890',
      body: '{"order":{"id":12345678901234567890,"small":7,"text":"12345678901234567890"}}',
    },
  });
  t.equal(session.contact.order, '12345678901234567890');
  const own = containerOf({
    blocks: [
      { name: 'f', type: 'Svc.Http', config: { url: 'https://a.test/' } },
      { name: 'g', type: 'Svc.Http', config: { url: 'https://a.test/', json: '[f.json, 100 * 1.1]' } },
    ],
  });
  const other = new Talk({ main: own });
  other.start();
  t.match(other.send(reply('[9007199254740993]')).next, { effect: { body: '[[9007199254740993],110]' } });
});

t.test('what leaves the engine has texts of digits instead of integers that a double would round', async (t) => {
  const { container } = compileNotebook('card A do\n  f = get("https://a.test/")\n  ask("@f.body.id")\nend\n');
  const definitions = { r: shareDefinition(container) };
  const environment = { now: '2025-01-15T09:30:00.000Z', timeZone: 'UTC', seed: 'seed' };
  const start: Signal = { kind: 'start', session: 's', journey: 'j', revision: 'r', contact: {}, globals: {} };
  const first = runStep({ definitions, session: null, signal: start, environment });
  for (const padding of [0, 100_000]) {
    const body = `{"id":9007199254740993,"more":"${'x'.repeat(padding)}"}`;
    const second = runStep({ definitions, session: first.session, signal: reply(body), environment, report: { context: true } });
    t.ok('report' in second, 'as text, although it is long');
    const report = 'report' in second ? readReport(second.report) : second;
    t.match(report.context, { f: { body: { id: '9007199254740993' } } });
    t.match(
      report.events.find(({ type }) => type === 'message_out'),
      { step: { context: { f: { body: { id: '9007199254740993' } } } } },
    );
    t.match(readContext(second.session), { f: { body: { id: '9007199254740993' } } });
    t.match(JSON.parse(second.session) as Session, { stack: [{ vars: { f: { body: { id: { __value__: '9007199254740993' } } } } }] });
  }
});

t.test('JSON of services: a byte order mark, null, texts, and numbers without a double', async (t) => {
  const talkWith = (body: string) => {
    const { container } = compileNotebook(
      'card A do\n  f = get("https://a.test/")\n  text("<@f.body> @is_nil_or_empty(f.body) @f.body.id")\nend\n',
    );
    const talk = new Talk({ main: container! });
    talk.start();
    const { events } = talk.send(reply(body));
    return { said: seen({ events })[0], warnings: events.flatMap((event) => (event.type === 'warning' ? event.reason : [])) };
  };
  t.match(talkWith('\ufeff{"id":1}'), { said: '<{"id":1}> false 1', warnings: [] });
  t.match(talkWith('null'), { said: '<> true', warnings: [] });
  t.match(talkWith('"text"'), { said: '<text> false' });
  t.match(talkWith('plain'), { said: '<plain> false' });
  t.match(talkWith('{"id":1E400}'), { said: '<{"id":null}> false', warnings: [/too large and became nil/] });
  t.match(talkWith('{"id":-1E400,"n":[1E999]}').warnings, [/too large/], 'one warning per response');
  t.match(renderAlone("@parse_json('[1e400]')[0]").warnings, [{ reason: /too large/ }]);
});

t.test('JSON with long digits is read exactly, and invalid JSON stays invalid', async (t) => {
  for (const json of [
    '12345678901234567890',
    '-12345678901234567890',
    '[1,12345678901234567890]',
    '{"a":12345678901234567890,"b":1.2345678901234567890,"c":"x: 12345678901234567890, \\"12345678901234567890"}',
    ' { "a" : 12345678901234567890 } ',
  ])
    t.equal(
      exactJson(readExactJson(json).value),
      json.replace('1.2345678901234567890', '1.2345678901234567').replace(/^ .*$/, '{"a":12345678901234567890}'),
      json,
    );
  t.strictSame(readExactJson('9007199254740994').value, 9007199254740994, 'a double prints the same digits');
  for (const json of [
    '01234567890123456789',
    '{12345678901234567890:1}',
    '1234567890123456789a',
    '[12345678901234567890',
    '"a" 12345678901234567890',
  ])
    t.equal(readExactJson(json).fault, 'no_json', json);
  t.strictSame(readShownJson('{"id":12345678901234567890,"n":5}'), { id: '12345678901234567890', n: 5 });
  t.match(readJsonText('1e400'), { value: null, overflows: true });
  t.match(readAnswer('null'), { json: null, isJson: true });
  t.match(readAnswer(''), { json: null, isJson: false });
  const forged = { __value__: 'no number', __integer__: true };
  t.equal(text('x', { x: forged }), 'no number', 'a service can send such an object itself');
  const long = `[${'1'.repeat(400)}]`;
  t.match(readExactJson(long), { value: [null], overflows: true });
});
