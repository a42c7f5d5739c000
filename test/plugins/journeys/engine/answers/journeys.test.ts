import t from 'tap';
import type { JsonObject } from '../../../../../core/json.js';
import type { Container } from '../../../../../plugins/journeys/engine/floip.js';
import { lintJourney } from '../../../../../plugins/journeys/engine/lint/lint.js';
import { compileNotebook } from '../../../../../plugins/journeys/engine/notebook/notebook.js';
import { containerOf, seen, Talk } from '../journey-under-test.js';

const notebookOf = (text: string): Container => compileNotebook(text).container!;

/** The reply to each answer, in a conversation of its own. */
function replies(text: string, answers: readonly string[], about: JsonObject = {}): readonly string[] {
  const container = notebookOf(text);
  return answers.map((answer) => {
    const talk = new Talk({ main: container });
    talk.start({ globals: { number: { address: '+27820000001' } }, ...about });
    return seen(talk.say(answer)).join(' / ');
  });
}

const asked = (expression: string): string => `card Ask, then: Say do
  y = ask("?")
end
card Say do
  text("@(${expression.replaceAll('"', '\\"')})")
end
`;

/** A check as real forms write it: ask again when it is a string, continue when it is a number. */
const YEAR = `card Year, then: Check do
  y = ask("Year of birth?")
end
card Check when isnumber(y) != true, then: Again do
  log("no number")
end
card Check when len("@y") != 4, then: Again do
  log("not four digits")
end
card Check when isstring(y), then: Again do
  log("a string")
end
card Check do
  text("Thanks, @y.")
end
card Again, then: Check do
  y = ask("Four digits, please.")
end
`;

t.test('isstring is false for an answer that is a number, and true for codes, literals and other texts', async (t) => {
  t.strictSame(replies(YEAR, ['1990', '١٩٩٠', '0190', '199O', 'nineteen']), [
    'Thanks, 1990.',
    'Thanks, ١٩٩٠.',
    'Four digits, please.',
    'Four digits, please.',
    'Four digits, please.',
  ]);
  const both = (answers: readonly string[], path = 'y') => replies(asked(`isstring(${path}) & "," & isnumber(${path})`), answers);
  t.strictSame(both(['5', ' 5 ', '5.', '1,5', '-3']), Array(5).fill('false,true'));
  t.strictSame(both(['0821234567', '+27821234567', '007']), Array(3).fill('true,true'), 'codes are texts that read as numbers');
  t.strictSame(both(['5 years', 'five', '1,5,7', '']).slice(0, 3), Array(3).fill('true,false'));
  for (const path of ['"@y"', 'Y', 'results.y', 'results.y.value', 'block.response', 'block.value', 'event.message.text.body'])
    t.strictSame(both(['5'], path), [path === 'event.message.text.body' ? 'false,false' : 'false,true'], path);
  t.strictSame(both(['5'], 'trim(y)'), ['true,true'], 'a text that was computed is a text');
  t.strictSame(replies(asked("isstring('1990') & isstring(y & '')"), ['5']), ['truetrue'], 'literals stay texts');
  const list = replies(asked('json(map([y], &[isstring(&1), &1 + 1]))'), ['5']);
  t.strictSame(list, ['[[false,6]]'], 'in a list, too');
});

t.test('copies of an answer are answers, other values of the same name are not', async (t) => {
  const copied = (item: string) => `card Ask do
  y = ask("?")
  ${item}
  text("@isstring(x)")
end
`;
  t.strictSame(replies(copied('x = y'), ['1990']), ['false']);
  t.strictSame(replies(copied('x = "@y"'), ['1990']), ['false']);
  t.strictSame(replies(copied('x = "19" & "90"'), ['1990']), ['true'], 'a text of the author that happens to be equal');
  t.strictSame(replies(copied('x = y\n  x = upper(y)'), ['1990']), ['true'], 'the copy was replaced');
  const container = {
    ...notebookOf(asked('isstring(y)')),
    vendor_metadata: { svc: { answers: 'texts' } },
  };
  const talk = new Talk({ main: container });
  talk.start();
  t.strictSame(seen(talk.say('1990')), ['true'], 'as before, for a journey that says so');
});

t.test('flows get answers from their caller and from flows that they call', async (t) => {
  const message = (prompt: string, to: string | null = null) => ({ type: 'MobilePrimitives.Message', config: { prompt }, exits: [{ to }] });
  const container = containerOf({
    flows: {
      main: [
        { name: 'y', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'q' } },
        { name: 'call', type: 'Core.RunFlow', config: { flow_id: 'other', args: { copy: 'y', other: "y & ''" } } },
        { name: 'after', ...message('child') },
      ],
      other: [
        { name: 'said', ...message('parent', 'z') },
        { name: 'z', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'q' }, exits: [{ to: null }] },
      ],
    },
    texts: {
      q: '?',
      parent: '@isstring(parent.y) @isstring(parent.copy) @isstring(parent.other)',
      child: '@isstring(child.z) @(child.z + 1)',
    },
  });
  const talk = new Talk({ main: container });
  talk.start();
  t.strictSame(seen(talk.say('1990')), ['false false true', '?']);
  t.strictSame(seen(talk.say('7')), ['false 8']);
});

t.test('an answer is compared and calculated with as a person reads it', async (t) => {
  const pt = { contact: { language: 'por' }, globals: { number: { address: '+5511912345678' } } };
  t.strictSame(replies(asked('y + 0'), ['٣٥', '1,5', '1.000,50', '1 000', '35.', '5 ', '1½', '9007199254740993']), [
    '35',
    '1.5',
    '1000.5',
    '1000',
    '35',
    '5',
    '1.5',
    '9007199254740993',
  ]);
  t.strictSame(replies(asked('y + 0'), ['1.234', '1,234'], pt), ['1234', '1.234'], 'in the language of the contact');
  t.strictSame(replies(asked('y + 0'), ['1.234', '1,234']), ['1.234', '1234'], 'in the country of the number');
  t.strictSame(replies(asked("(y > 30) & (y = 35) & (y = '35') & has_number_eq(y, 35)"), ['٣٥']), ['truetruefalsetrue']);
  t.strictSame(replies(asked("'1.234' + 0"), ['x'], pt), ['1.234'], 'texts of authors and services are not answers');
  t.strictSame(replies(asked('y = true'), ['yes', 'Ja!', '👍', 'no', 'maybe']), ['true', 'true', 'true', 'false', 'false']);
  t.strictSame(replies(asked('y = false'), ['no', 'não', 'yes']), ['true', 'true', 'false']);
  t.strictSame(
    replies(asked('(y < 2025-02-01) & y.year & has_date(y).date'), ['31.01.2025', '1 de enero de 2025'], { contact: { language: 'spa' } }),
    ['true20252025-01-31', 'true20252025-01-01'],
  );
  t.strictSame(replies(asked('has_date(y).date'), ['01/02/2025'], { globals: { number: { address: '+12065550100' } } }), ['2025-01-02']);
  t.strictSame(replies(asked('timevalue(y)'), ['9:30 pm', '21h30']), ['21:30:00', '21:30:00']);
  const phone = (answer: string, about: JsonObject) => replies(asked('has_phone(y).phonenumber'), [answer], about)[0];
  t.equal(phone('082 123 4567', {}), '+27821234567', 'the country of the number');
  t.equal(
    phone('206 779 9294', { globals: { chat: { owner: '12067799294' }, number: { address: '+27820000001' } } }),
    '+12067799294',
    'of the contact',
  );
});

t.test('a contact chooses as phones type', async (t) => {
  const menu = (...labels: readonly string[]) => `card Ask do
  c = buttons([${labels.map((label) => JSON.stringify(label)).join(', ')}]) do
    text("?")
  end
  text("@(if(c.index = nil, 'none', c.index + 1))")
end
`;
  const chosen = (labels: readonly string[], answers: readonly string[]) => replies(menu(...labels), answers);
  t.strictSame(
    chosen(
      ["I don't know", 'Tea ❤️', 'Café au lait'],
      ['I don’t know', 'i DON`T know.', 'tea ❤', 'Tea', 'Ｔｅａ ❤️', ' Café  au lait ', 'cafe au lait', '"Café au lait"'],
    ),
    ['1', '1', '2', '2', '2', '3', '3', '3'],
  );
  t.strictSame(chosen(['Tea', 'Coffee'], ['2', '2.', '(2)', '#2', '2️⃣', '٢', ' 2 ']), Array(7).fill('2'), 'by number');
  t.strictSame(
    chosen(['Tea', 'Coffee'], ['0', '3', '12', 'teas', 'tea or coffee', '1,2']),
    Array(6)
      .fill('none / other')
      .map(() => 'none'),
  );
  t.strictSame(chosen(['2', '1'], ['1', '2']), ['2', '1'], 'a label that is a number comes first');
  t.strictSame(chosen(['Yes', 'No'], ['yeah', '👍', 'Ja', 'nope', 'ok.', 'y']), ['1', '1', '1', '2', '1', '1']);
  t.strictSame(chosen(['Yes', 'Sure'], ['yeah', 'Yes', 'sure!']), ['none', '1', '2'], 'only one option may be meant');
  t.strictSame(chosen(['Péché', 'Pêche'], ['peche', 'Pêche']), ['none', '2']);
  const off = notebookOf(menu('Tea', 'Coffee'));
  const blocks = off.flows[0]!.blocks.map((block) =>
    block.name === 'c' ? { ...block, config: { ...block.config, numeric_choice: false } } : block,
  );
  const talk = new Talk({ main: { ...off, flows: [{ ...off.flows[0]!, blocks }] } });
  talk.start();
  t.strictSame(seen(talk.say('2')), ['none'], 'an author can switch numbers off');
});

t.test('a contact types the label of a button of a template', async (t) => {
  const container = containerOf({
    blocks: [
      { name: 'q', type: 'Svc.Template', config: { template: { name: 't', language: { code: 'en' } }, buttons: ['a', 'b'] } },
      { name: 'say', type: 'MobilePrimitives.Message', config: { prompt: 'said' } },
    ],
    texts: { a: "I'm coming ❤️", b: 'Not today', said: '<@q.index>' },
  });
  for (const [typed, index] of [
    ['I’m coming ❤', '0'],
    ['i’m coming', '0'],
    ['not  today.', '1'],
    ['later', ''],
  ] as const) {
    const talk = new Talk({ main: container });
    talk.start();
    talk.send({ kind: 'result', value: { kind: 'template' } });
    t.strictSame(seen(talk.say(typed)), [`<${index}>`], typed);
  }
});

t.test('lint says when isnumber and isstring are both true of a text', async (t) => {
  const found = (...conditions: readonly string[]) => {
    const cards = conditions.map((condition) => `card Check when ${condition} do\n  log("x")\nend`).join('\n');
    const container = notebookOf(`card Ask, then: Check do\n  y = ask("?")\nend\n${cards}\ncard Check do\n  log("x")\nend\n`);
    return lintJourney(container).flatMap(({ code, message }) => (code === 'overlapping_tests' ? message : []));
  };
  t.match(found('isnumber(y)', 'isstring(y)'), [/if y is a text such as '0821234567'/]);
  t.match(found('isstring("@y")', 'isnumber(y) and y > 5'), [/'0821234567'/]);
  t.match(found('isnumber(contact.year)', 'isstring(contact.year)'), [/contact\.year is a text such as '0821234567'/]);
  for (const fine of [
    ['isnumber(y) != true', 'len("@y") != 4', 'isstring(y)'],
    ['isnumber(y)', 'not isnumber(y)'],
    ['isnumber(y)', 'isstring(contact.x)'],
  ])
    t.strictSame(found(...fine), [], fine.join(' | '));
});
