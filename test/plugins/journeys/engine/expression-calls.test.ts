import t from 'tap';
import type { Json, JsonObject } from '../../../../core/json.js';
import { type ExpressionEnvironment, evaluate, holds, render, resolve } from '../../../../plugins/journeys/engine/expression/expression.js';
import type { ValueMap } from '../../../../plugins/journeys/engine/expression/value.js';
import { lintJourney } from '../../../../plugins/journeys/engine/lint/lint.js';
import { containerOf, seen, Talk } from './journey-under-test.js';

const environment: ExpressionEnvironment = { now: Date.UTC(2025, 0, 15, 22, 30), timeZone: 'UTC', random: () => 0.5 };
const value = (source: string, context: JsonObject = {}, at = environment) => evaluate(source, [context as ValueMap], at).value;
const text = (source: string, context: JsonObject = {}) => render(source, [context as ValueMap], environment).value;

t.test('has_number reads commas between groups of three digits as thousands separators', async (t) => {
  const pairs: readonly (readonly [string, number | null])[] = [
    ['1,000', 1000],
    ['R1,234,567.50 a month', 1_234_567.5],
    ['-2,500', -2500],
    ['1,5', 1.5],
    ['1,0000', 1],
    ['1,000,5', 1],
    ['2024,100', 2024.1],
    ['0,500 of a litre', 0.5],
    ['007,000', 7],
    ['100,000', 100_000],
    ['a list: 1, 2, 3', 1],
    ['none', null],
  ];
  for (const [given, number] of pairs) t.equal(value('has_number(x).number', { x: given }), number, given);
  t.equal(value("has_number_gte('about 1,000', 1000)"), true);
});

t.test('words and phrases are found beside signs, as people write them', async (t) => {
  const found = (text: string, wanted = 'yes') => value('has_any_word(x, w)', { x: text, w: wanted }) as JsonObject | false;
  const isFound = (text: string, wanted?: string) => (found(text, wanted) as JsonObject).__value__;
  const beside = [
    'yes',
    'yes!',
    'yes👍',
    'Yes😊',
    '👍yes',
    'yes❤️',
    'yes…',
    'yes—please',
    'yes/no',
    '“yes”',
    '‘yes’',
    '*yes*',
    '_yes_',
    '~yes~',
    '(yes)',
    '[yes]',
    'yes\u200b',
    'oh,yes',
  ];
  for (const text of [...beside, '¡yes!', '«yes»', 'ｙｅｓ', 'YES.', 'yes\u00a0please']) t.equal(isFound(text), true, text);
  for (const text of ['yesterday', 'eyes', 'no', 'yes-man', 'yes_man', 'y e s', '']) t.equal(isFound(text), false, text);
  for (const [text, wanted] of [
    ["don't go", 'don’t'],
    ['don’t go', "don't"],
    ['👍🏽', '👍'],
    ['great 👍', '👍'],
    ['👍👎', '👎'],
    ['да!', 'да'],
    ['نعم، شكرا', 'نعم'],
    ['हाँ।', 'हाँ'],
    ['check-in', 'check-in'],
    ['c++ and go', 'c++'],
  ] as const)
    t.equal(isFound(text, wanted), true, `${text} has ${wanted}`);
  for (const [text, wanted] of [
    ['ไม่ใช่', 'ใช่'],
    ['不是', '是'],
    ['checkin', 'check-in'],
    ['don', "don't"],
    ['naïve', 'na'],
  ] as const)
    t.equal(isFound(text, wanted), false, `${text} has no ${wanted}`);
  t.strictSame(found('*Yes*/No👍', 'no yes'), { __value__: true, match: 'Yes No' });
  const pairs: readonly (readonly [string, boolean])[] = [
    ["has_only_phrase(' Menu ', 'menu')", true],
    ["has_only_phrase('me  nu', 'me nu')", true],
    ["has_only_phrase('don’t', \"don't\")", true],
    ["has_only_phrase('menu.', 'menu')", false],
    ["has_any_exact_phrase('menu ', ['x', 'menu'])", true],
    ["has_phrase('I don’t know', \"don't\")", true],
    ["has_phrase('I know', ' no ')", false],
    ["has_beginning('orders', 'order ')", false],
    ["has_all_words('ｙｅｓ please', 'please yes')", true],
    ["has_only_text('menu ', 'menu')", false],
  ];
  for (const [source, want] of pairs) t.equal(value(source), want, source);
});

t.test('dates and times have attributes for their parts, in the zone of the journey', async (t) => {
  const pairs: readonly (readonly [string, Json])[] = [
    ['date(2022,1,31).year', 2022],
    ['date(2022,1,31).month + date(2022,1,31).day', 32],
    ['(2022-11-06).weekday', 1],
    ['datetime_add("2022-01-31T10:30:15Z", 1, "D").Hour', 10],
    ['time(9, 5, 7).minute', 5],
    ['is_nil_or_empty(date(2022,1,31).hour)', true],
    ['is_nil_or_empty(time(9, 5, 7).year)', true],
    ['is_nil_or_empty(today().constructor)', true],
  ];
  for (const [source, want] of pairs) t.equal(value(source), want, source);
  t.equal(value('now().day', {}, { ...environment, timeZone: 'Africa/Johannesburg' }), 16, 'half past midnight there');
  t.equal(text('@date(2022,1,31).year'), '2022');
});

t.test('a text of a date or time has the same attributes', async (t) => {
  const context = { contact: { birthday: '1990-05-06', name: 'Bo' }, at: '2024-02-29T10:30:15Z', opens: '9:30', code: '12' };
  t.equal(text('@contact.birthday.year-@contact.birthday.MONTH, @at.hour, @opens.minute', context), '1990-5, 10, 30');
  for (const source of ['contact.name.year', 'code.day', 'contact.birthday.hour', 'contact.birthday.length', 'opens.constructor']) {
    t.equal(value(source, context), null, source);
  }
  const talk = new Talk({
    main: containerOf({
      texts: { r: '@begun.year and @checked.date.month' },
      languages: ['eng'],
      blocks: [
        { name: 'begun', type: 'Core.Output', config: { value: 'date(2022, 1, 31)' } },
        { name: 'checked', type: 'Core.Output', config: { value: 'has_date("31/01/2022")' } },
        { name: 'said', type: 'MobilePrimitives.Message', config: { prompt: 'r' } },
      ],
    }),
  });
  t.strictSame(seen(talk.start()), ['2022 and 1']);
});

t.test('adding years or months clamps to the last day of the month', async (t) => {
  t.equal(value('datetime_add("2024-02-29", 1, "Y")'), '2025-02-28T00:00:00Z');
  t.equal(value('datetime_add("2024-02-29", 4, "Y")'), '2028-02-29T00:00:00Z');
  t.equal(value('datetime_add("2024-02-29", -1, "Y")'), '2023-02-28T00:00:00Z');
  t.equal(value('datetime_add("2022-01-31", 1, "M")'), '2022-02-28T00:00:00Z');
});

t.test('the body of a function can be a text, which is a template of its arguments', async (t) => {
  t.equal(value('reduce(["a", "b", "c"], "", &"@concatenate(&2, &1)")'), 'abc');
  t.strictSame(value(`map([1, 2], &"no. @(&1 * 10)")`), ['no. 10', 'no. 20']);
  t.strictSame(value(`map([1, 2], &'same')`), ['same', 'same']);
  t.equal(text('@reduce(["a", "b"], "", &"@concatenate(&2, &1)")!'), 'ab!');
  t.equal(value('"a" & "b"'), 'ab', '& between two values still joins them');
});

t.test('a call can have a space before its bracket, except in the short form of a template', async (t) => {
  t.equal(value('upper ("a")'), 'A');
  t.equal(value('if (1 = 1, len ("abc"), 0)'), 3);
  t.equal(value('and (1 = 1, or (1 = 2, not (1 = 2)))'), true);
  t.strictSame(value('map ([1], &max (&1, 5))'), [5]);
  t.equal(text('@(upper (name)) and @upper(lower (name))', { name: 'Bo' }), 'BO and BO');
  t.equal(text('@name (our best) and @first (see [1])', { name: 'Bo', first: 'x' }), 'Bo (our best) and x (see [1])');
});

t.test('words with a remark in brackets are not calls, except in expressions', async (t) => {
  const run = (name: string) => {
    const template = {
      name: '"offer"',
      language: { code: '"en"' },
      components: [{ type: 'body', parameters: [{ type: 'text', text: name }] }],
    };
    const container = containerOf({
      texts: { r: '[@sorted]' },
      languages: ['eng'],
      blocks: [
        { name: 'sorted', type: 'Core.Case', exits: [{ name, to: 'said' }] },
        { name: 'said', type: 'MobilePrimitives.Message', config: { prompt: 'r' } },
        { name: 'sent', type: 'Io.Turn.WhatsAppTemplateMessage', config: { template } },
      ],
    });
    const errors = lintJourney(container).filter(({ severity }) => severity === 'error');
    return { said: seen(new Talk({ main: container }).start())[0], errors: errors.map(({ code }) => code) };
  };
  for (const name of ['Yes (default)', 'Exit (1)', 'Order (no. 5)', 'Time (s)', 'Remaining (kg, rounded)']) {
    t.strictSame(run(name), { said: `[${name}]`, errors: [] }, name);
  }
  t.strictSame(run('upper ("a")'), { said: '[A]', errors: [] }, 'a function of the language is called');
  t.strictSame(run('nope(1)'), { said: '[]', errors: ['unknown_function', 'unknown_function'] });
  t.strictSame(run('1 + nope (1)'), { said: '[]', errors: ['unknown_function', 'unknown_function'] });
});

const TOO_LONG = `Hello @contact.name${'.'.repeat(65_536)}`;

t.test('a template that is too long is never sent as written, and prevents publishing', async (t) => {
  t.match(render(TOO_LONG, [], environment), {
    value: '',
    warnings: [{ code: 'parse', reason: /has 65,555 characters; the maximum is 65,536/ }],
  });
  t.match(resolve(TOO_LONG, [], environment), { value: null, warnings: [{ code: 'parse' }] });
  const container = containerOf({
    texts: { r: TOO_LONG, s: '.'.repeat(65_537), ok: `@contact.name${'.'.repeat(60_000)}` },
    languages: ['eng'],
    blocks: [
      { name: 'long', type: 'MobilePrimitives.Message', config: { prompt: 'r' } },
      { name: 'print', type: 'ConsoleIO.Print', config: { message: TOO_LONG } },
      { name: 'short', type: 'ConsoleIO.Print', config: { message: 'after it' } },
    ],
  });
  const errors = lintJourney(container).filter(({ severity }) => severity === 'error');
  t.strictSame(
    errors.map(({ code, path }) => `${code} ${path}`),
    [
      'template_too_long /flows/0/resources/0/values/0/value',
      'template_too_long /flows/0/resources/1/values/0/value',
      'template_too_long /flows/0/blocks/1/config/message',
    ],
  );
  const talk = new Talk({ main: container });
  const started = talk.start({ contact: { name: 'Bo' } });
  t.strictSame(seen(started), ['after it']);
  t.match(
    started.events.filter(({ type }) => type === 'warning').map((event) => event.type === 'warning' && event.reason),
    [/the maximum is 65,536/, /the maximum is 65,536/],
  );
});

t.test('a call of an unknown function is printed as written, false in a test, and nil as a value', async (t) => {
  const context = { name: 'Bo' };
  t.equal(
    text('Dear @nope(name), @(nope(name) & "!") @upper() @concatenate("a", nope()) @attachment_url("m", 60)', context),
    ['Dear @nope(name), @(nope(name) & "!") @upper() @concatenate("a", nope()) @attachment_url("m", 60)'].join(''),
  );
  t.notMatch(text('@nope(1) @("inside @nope(2)") @upper(nope(3))'), /ERROR/);
  t.match(holds('nope(1)', [], environment), {
    value: false,
    warnings: [{ code: 'unknown_function', reason: "the function 'nope' does not exist" }],
  });
  t.equal(holds('not nope(1)', [], environment).value, false);
  t.match(evaluate('nope(1)', [], environment), { value: null });
  t.equal(value('if(1 = 1, "yes", nope())'), 'yes', 'an unknown function in a branch that is not evaluated has no effect');
});

t.test('an unknown function prevents publishing; one of other engines does not', async (t) => {
  const lint = (source: string) =>
    lintJourney(
      containerOf({
        texts: { r: `@(${source})` },
        languages: ['eng'],
        blocks: [
          { name: 'said', type: 'MobilePrimitives.Message', config: { prompt: 'r' } },
          { name: 'kept', type: 'Core.Output', config: { value: source } },
        ],
      }),
    ).map(({ severity, code, path }) => `${severity} ${code} ${path}`);
  const places = ['/flows/0/resources/0/values/0/value', '/flows/0/blocks/1/config/value'];
  t.strictSame(
    lint('nope(1)'),
    places.map((path) => `error unknown_function ${path}`),
  );
  for (const source of ['attachment_url("m", 60)', 'ARRAY(1, 2)', 'has_value(contact.name)', 'RANDBETWEEN(1, 2)']) {
    t.strictSame(
      lint(source),
      places.map((path) => `warning missing_function ${path}`),
      source,
    );
  }
});
