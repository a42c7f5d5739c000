import Joi from 'joi';
import { withKeywords } from '#core/schemas';
import { urlPattern } from '../../../plugins/simulation/mocks/url-pattern.js';
import { mediaTypes, revisions, states } from './document.js';
import { durationOf } from './duration.js';
import { type MatcherWord, matcherWords } from './matcher-words.js';
import { isColumn, operandProblem, valueProblem } from './operands.js';

// The schema of test files. `test.schema.json` is generated from it, so every key has a description: editors show it.

const LIMITS = { text: 65_536, name: 300, tests: 10_000, rows: 10_000, steps: 1_000 } as const;

const text = (description: string): Joi.StringSchema => Joi.string().max(LIMITS.text).description(description);
const open = (description: string): Joi.ObjectSchema => Joi.object().unknown().description(description);
const closed = (description: string, keys: Joi.SchemaMap): Joi.ObjectSchema => Joi.object(keys).description(description);
const listOf = (item: Joi.Schema, description: string): Joi.ArraySchema => Joi.array().items(item).description(description);
const mapOf = (value: Joi.Schema, description: string): Joi.ObjectSchema =>
  Joi.object().pattern(Joi.string(), value).description(description);

/** Chooses a branch by the kind of the value, so that an error names a key of that branch. */
const either = (is: Joi.Schema, yes: Joi.Schema, no: Joi.Schema): Joi.AlternativesSchema =>
  // biome-ignore lint/suspicious/noThenProperty: a keyword of joi
  Joi.alternatives().conditional(is, { then: yes, otherwise: no });

/** Text as it is written: `say: 007` is the text 007. */
const scalar = Joi.alternatives().try(Joi.string().max(LIMITS.text), Joi.number().unsafe(), Joi.boolean());
const written = (description: string): Joi.AlternativesSchema => scalar.description(description);
const scalarOrEmpty = Joi.alternatives().try(Joi.string().allow('').max(LIMITS.text), Joi.number(), Joi.boolean());

/** Checks a part with a function that returns what is wrong with it. */
const checkedBy =
  (problemOf: (given: unknown) => string | undefined): Joi.CustomValidator =>
  (given, { message }) => {
    const problem = problemOf(given);
    // As a variable, so that joi does not read the braces of a value as a template.
    return problem === undefined ? given : message({ custom: '{{#label}} {{#problem}}' }, { problem });
  };

const operators: Joi.SchemaMap = Object.fromEntries(
  Object.entries(matcherWords).map(([word, { about }]) => [
    word,
    Joi.any()
      .custom(checkedBy((operand) => operandProblem(word as MatcherWord, operand)))
      .description(about),
  ]),
);
const matcher = Joi.object(operators).min(1).description('A matcher: the value must pass each operator.');

const VALUES = 'Values are compared; a list has the same items, an object has at least these keys, and {contains: …} is an operator.';
const values = Joi.any().custom(checkedBy(valueProblem));
const valueMap = (description: string): Joi.ObjectSchema => mapOf(values, `${description} ${VALUES}`);

const texts = (description: string): Joi.AlternativesSchema => {
  const one = either(Joi.object(), matcher, scalarOrEmpty);
  return either(Joi.array(), Joi.array().items(one), one).description(description);
};

/** Operators whose operand is a list of calls. */
const LISTS = ['contains', 'ordered', 'unordered', 'subset', 'superset'] as const satisfies readonly MatcherWord[];

const callList = (description: string, keys: Readonly<Record<string, string>>): Joi.AlternativesSchema => {
  const call = closed(
    'A call, with at least these values.',
    Object.fromEntries(Object.entries(keys).map(([key, about]) => [key, values.description(about)])),
  );
  const calls = (word: MatcherWord): Joi.Schema => either(Joi.array(), Joi.array().items(call), call).description(matcherWords[word].about);
  return either(
    Joi.array(),
    Joi.array().items(call),
    matcher.keys(Object.fromEntries(LISTS.map((word) => [word, calls(word)]))),
  ).description(
    `${description} A list has one item for each call, in order, with at least these keys; or {superset: […]}, {length: 2} and the other operators.`,
  );
};

const duration = (description: string): Joi.AnySchema =>
  withKeywords(
    Joi.any()
      .custom((given: unknown, { message }) =>
        isColumn(given) || durationOf(given) !== undefined
          ? given
          : message({ custom: "{{#label}} must be a time such as '90 s', '5 minutes' or '1 day 2 h'" }),
      )
      .description(description),
    { type: ['string', 'number'] },
  );

/** A text that passes a check, or a column of a row, which is checked when it is filled in. */
const checked = (description: string, holds: (text: string) => boolean, rule: string): Joi.StringSchema =>
  text(description).custom((given: string, { message }) =>
    isColumn(given) || holds(given) ? given : message({ custom: `{{#label}} ${rule}` }),
  );

const urlProblem = (given: unknown): string | undefined => {
  try {
    if (!isColumn(given)) urlPattern(String(given));
    return undefined;
  } catch (error) {
    return `cannot be matched: ${(error as Error).message}`;
  }
};

const mock = closed('A response to HTTP requests of the journey.', {
  method: checked('Such as GET; without it, any method.', (given) => /^[A-Za-z]{1,20}$/.test(given), 'must be a method, such as GET'),
  url: text('The URL: * matches anything, :name one segment of the path. Without ?, the query is ignored.')
    .custom(checkedBy(urlProblem))
    .required(),
  response: closed('The response; without it, status 200 and no body.', {
    status: withKeywords(
      either(Joi.number(), Joi.number().integer().min(100).max(599), Joi.string().pattern(/\{\{.+\}\}/, 'a column')).description(
        'The status (default 200).',
      ),
      {
        anyOf: [
          { type: 'integer', minimum: 100, maximum: 599 },
          { type: 'string', pattern: '\\{\\{.+\\}\\}' },
        ],
      },
    ),
    headers: mapOf(Joi.string().allow(''), 'The headers.'),
    body: Joi.any().description('The body: a text as it is, other values as JSON.'),
  }),
});
const mocks = (description: string): Joi.ArraySchema => listOf(mock, description);

const skill = closed('A code skill: one of output, error and file.', {
  output: Joi.any().description('The skill returns this value.'),
  error: text('The skill fails with this error.'),
  file: text('The code of the skill, a JavaScript file beside the test.'),
}).xor('output', 'error', 'file');

export const skillMocks = mapOf(skill, 'Code skills, by the name or uuid of the skill.');

const model = closed('A model: a script, whose first matching rule that has not been used replies; or, with base_url, a recorded one.', {
  strict: Joi.boolean().description('Whether a request without a matching rule fails (default true).'),
  fallback: text('With strict: false, the reply when no rule matches.'),
  rules: listOf(
    closed('A rule.', {
      when: closed('The conditions; all must hold.', {
        last_user: text("The contact's last message contains this text, or matches /…/i."),
        system: text('The instructions contain this text.'),
        turn: Joi.number().integer().description("The position of the contact's last message, from 1."),
        tool_result: text("A skill that has returned since the contact's last message."),
      }),
      say: text('The reply.').allow(''),
      call: open('Skills to call, with their arguments.'),
      action: text('The action to route to.'),
    }),
    'The rules.',
  ),
  base_url: text('The base URL of the API of a model: its replies are recorded in the cassette, and replayed from there.'),
  model: text('With base_url, the name of the model.'),
  token: text('With base_url, the environment variable with the token. Only a run that records needs it.'),
})
  .without('base_url', ['strict', 'fallback', 'rules'])
  .with('model', 'base_url')
  .with('token', 'base_url');

const card = closed('A stored content card.', {
  text: text('Its text.').allow('').required(),
  media: listOf(
    closed('A file.', { type: text('Such as image.').required(), link: text('Its URL.').required(), caption: text('Its caption.') }),
    'Its files.',
  ),
});

const DATE_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

/** `Date` reads 30 February as 2 March. */
export const isClock = (given: string): boolean =>
  DATE_TIME.test(given) && !Number.isNaN(Date.parse(given)) && new Date(given.slice(0, 10)).getUTCDate() === Number(given.slice(8, 10));
export const CLOCK_RULE = 'must be a date and time with Z or an offset, such as 2026-01-05T08:00:00Z';

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Settings of a test, and of `defaults`. */
const settings: Joi.SchemaMap = {
  contact: open('Fields of the contact; null clears one.'),
  parent: open('The values of @parent.'),
  child: open('The values of @child.'),
  http_mocks: mocks('Responses to HTTP requests, in order: the first matching one that has not been used; the last one repeats.'),
  fail_unmocked_http_calls: Joi.boolean().description(
    'Whether requests without a mock fail (default true). false: the cassette of the file answers them, after posthorn test --record=new sent and recorded them.',
  ),
  secrets: mapOf(
    Joi.string(),
    'The environment variable with the value of each secret that recorded requests need. Only a run that records reads them.',
  ),
  skills: skillMocks,
  models: mapOf(model, 'Language models, by the name or uuid of their AI connection.'),
  cards: mapOf(card, 'Stored content cards, by the name or uuid of the card.'),
  journeys: mapOf(
    Joi.string(),
    'The journeys that this journey calls, by the name or uuid in the call: files, or with a revision names or uuids in the sandbox.',
  ),
  clock: checked('The date and time at which the test begins (default 2026-01-05T08:00:00Z).', isClock, CLOCK_RULE),
  time_zone: checked(
    'The time zone of the journey, such as Africa/Johannesburg (default UTC).',
    isTimeZone,
    'must be the name of a time zone, such as Africa/Johannesburg',
  ),
  country: checked(
    'The country of phone numbers without a country code, such as ZA.',
    (code) => /^[A-Z]{2}$/.test(code),
    'must be a code of two capital letters, such as ZA',
  ),
  seed: text('The seed of random numbers (default: the name of the test).'),
  tags: listOf(Joi.string(), 'Tags that posthorn test --tag selects.'),
};

const journey = text('The journey: a file beside the test, or a name or uuid (default: the file with the name of the test file).');
const revision = Joi.string()
  .valid(...revisions)
  .description('working: the file (default); staging, production: from the running sandbox.');

const medium = (type: string): Joi.Schema =>
  either(
    Joi.object(),
    Joi.object({
      link: text('Its URL.'),
      caption: text('Its caption.'),
      filename: text('Its file name.'),
      mime_type: text('Its type, such as image/jpeg.'),
    }),
    Joi.string().max(LIMITS.text),
  ).description(`Sends ${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}: its URL, or link, caption, filename and mime_type.`);

/** Types of messages that may have no content. */
const EMPTY: ReadonlySet<unknown> = new Set(['unsupported', 'unknown', 'system']);

function contentProblem(given: unknown): string | undefined {
  const message = given as Readonly<Record<string, unknown>>;
  const { type } = message;
  const content = typeof type === 'string' && Object.hasOwn(message, type) ? message[type] : undefined;
  if (EMPTY.has(type) || isColumn(type) || (typeof content === 'object' && content !== null)) return undefined;
  return `needs the key '${type}' with its content, because its type is '${type}'`;
}

const sent = closed('A message with one kind of content.', {
  text: written('Sends a text.'),
  ...Object.fromEntries(mediaTypes.map((type) => [type, medium(type)])),
  location: closed('Sends a location.', {
    latitude: Joi.number().required().description('Degrees north.'),
    longitude: Joi.number().required().description('Degrees east.'),
    name: text('Its name.'),
    address: text('Its address.'),
  }),
  form: open('Completes a form with these answers.'),
  message: open('Sends a message in the format of the network.')
    .keys({ type: text('The type of the message.').required() })
    .custom(checkedBy(contentProblem)),
  context: Joi.string().valid('last').description('last: as a reply to the newest message of the journey.'),
}).xor('text', ...mediaTypes, 'location', 'form', 'message');

const expectation = closed('What the last action caused.', {
  text: texts('The text of the messages: a text or matcher for all of them together, or a list with one for each.'),
  options: texts('The labels of buttons or list rows, in order; or a matcher, such as {contains: Menu}.'),
  card: texts('The card where the journey waits or has ended.'),
  state: Joi.string()
    .valid(...states)
    .description('waiting_for_input, end, or expired: the wait ended without an answer.'),
  context: valueMap('Values of the context, by path: visit.room, items[0].'),
  contact: valueMap('Fields of the contact, by path.'),
  actions: texts('The actions that an AI agent routed to, in order.'),
  http_calls: callList('The HTTP requests of the turn.', {
    method: 'Such as GET.',
    url: 'The URL with its query.',
    headers: 'The headers, by their names.',
    body: 'The body as text.',
    json: 'The body parsed as JSON; null if it is not JSON.',
    query: 'The parameters of the query, by their names.',
    params: "The parts of the URL that matched the parameters of the mock's URL, such as :city.",
    status: 'The status of the response; null without a response.',
    mocked: 'Whether a mock responded.',
    failures: 'Why the request has no response: a list of texts.',
  }),
  skill_calls: callList('The calls of skills.', {
    name: 'The name of the skill.',
    arguments: 'Its arguments.',
    output: 'What it returned.',
  }),
  turns: Joi.any().custom(checkedBy(valueProblem)).description('The messages as a channel receives them, with exactly these keys.'),
  warnings: texts('The warnings of the turn, such as expressions with errors, in order.'),
  error: texts('The code of the error with which the journey fails. Without it, a failure of the journey fails the test.'),
  snapshot: Joi.boolean().description('true: the transcript so far equals the stored one; posthorn test --update stores it.'),
}).min(1);

const ACTIONS = ['start', 'say', 'tap', 'choose', 'send', 'wait', 'advance', 'http_mocks'] as const;

const step = closed('An action, what it is expected to cause, or both.', {
  start: Joi.any().valid(null).description('Starts the journey without a message.'),
  say: written('The contact writes this text.'),
  tap: written('The contact taps the button with this label or id.'),
  choose: written('The contact chooses the list row with this label or id.'),
  send: either(Joi.object(), sent, scalar).description('The contact sends a message: a text, or an object with its content.'),
  wait: duration('This time passes, for example 5 minutes; time-outs and the expiry of the session happen.'),
  advance: duration('The same as wait.'),
  http_mocks: mocks('More mocks, from here on.'),
  expect: expectation,
})
  .or(...ACTIONS, 'expect')
  .oxor(...ACTIONS);

const test = closed('A test.', {
  name: text('The name, which is printed and selected with -t.').max(LIMITS.name).required(),
  journey,
  revision,
  only: Joi.boolean().description('true: tests without it do not run. For development; with CI set, it is an error.'),
  skip: text('Why the test does not run.'),
  each: Joi.array()
    .items(Joi.object().unknown().min(1))
    .min(1)
    .max(LIMITS.rows)
    .description('Rows of a table: the test runs once for each, with {{column}} replaced by its value.'),
  ...settings,
  steps: Joi.array()
    .items(either(Joi.object(), step, Joi.string().valid('start')))
    .min(1)
    .max(LIMITS.steps)
    .required()
    .description('The conversation.'),
});

/** The schema of a test file. */
export const testSchema = closed('Tests of a journey, for posthorn test.', {
  $schema: text('The JSON Schema of this file, for editors.'),
  journey,
  revision,
  defaults: closed('Settings of all tests of this file.', settings),
  tests: Joi.array().items(test).min(1).max(LIMITS.tests).required().description('The tests.'),
});

export { ACTIONS as actionWords };
