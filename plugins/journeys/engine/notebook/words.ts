/**
 * The one description of the language: the parser checks calls by it, completion and the TextMate grammar are made of it, the page
 * lists it. Functions and operators are described with the expressions.
 */

import { NETWORK_LIMITS } from '#core/basics';
import type { ContributedBlock } from '../blocks/contributed.js';
import { Table } from '../table.js';

/**
 * `template`: a text template, or an expression that becomes one. `plain`: a text literal. `whole`: an integer literal. `pairs`:
 * `[["key", "value"]]`. `cards`: `[Card, Other]` or `["label"]`.
 */
export type ParameterKind = 'template' | 'expression' | 'plain' | 'whole' | 'flag' | 'pairs' | 'expressions' | 'cards';

export interface Parameter {
  readonly name: string;
  readonly kind: ParameterKind;
  readonly summary: string;
  readonly isOptional?: boolean;
}

/** An item word, such as `text` or `get`. */
export interface Word {
  readonly name: string;
  readonly summary: string;
  /** Its form, for messages. */
  readonly form: string;
  readonly positional: readonly Parameter[];
  readonly options: readonly Parameter[];
  /** Accepts keyword arguments of any other name. */
  readonly rest?: Parameter;
  /** Exactly one of these options is required. */
  readonly oneOf?: readonly string[];
  /** Whether a `do … end` with messages follows. */
  readonly body?: 'required' | 'optional';
  /** Makes it a choice, with at most this many static options. */
  readonly mostChoices?: number;
  /** Allowed in the body of a choice or a question; `only`: nowhere else. */
  readonly inBody?: 'also' | 'only';
  readonly example: string;
  /** The block that a plugin contributes, whose settings are the arguments. */
  readonly block?: ContributedBlock;
}

const text: Parameter = { name: 'text', kind: 'template', summary: 'what it says' };
const link: Parameter = { name: 'link', kind: 'template', summary: 'the address of the medium' };
const journey: Parameter = { name: 'journey id', kind: 'template', summary: 'the uuid of a journey' };

const says = (name: string, summary: string, inBody: 'also' | 'only'): Word => ({
  name,
  summary,
  form: `${name}(expression)`,
  positional: [text],
  options: [],
  inBody,
  example: `${name}("Good day, @contact.name.")`,
});

const shows = (name: string, summary: string, file: string): Word => ({
  name,
  summary,
  form: `${name}(link)`,
  positional: [link],
  options: [],
  inBody: 'also',
  example: `${name}("https://files.example/${file}")`,
});

const calls = (name: string, example: string): Word => ({
  name,
  summary: `Asks a service over HTTP with ${name.toUpperCase()}: \`.status\`, \`.body\`.`,
  form: `${name}(url, query: [[key, value]], headers: [[key, value]], body: text)`,
  positional: [{ name: 'url', kind: 'template', summary: 'the address' }],
  options: [
    { name: 'query', kind: 'pairs', summary: 'parameters of the address' },
    { name: 'headers', kind: 'pairs', summary: 'headers of the request' },
    { name: 'body', kind: 'template', summary: 'body of the request' },
    { name: 'timeout', kind: 'whole', summary: 'milliseconds to wait for the answer: 5000' },
    { name: 'cache_ttl', kind: 'whole', summary: 'milliseconds for which an answer is kept: 60000' },
    { name: 'mode', kind: 'plain', summary: '"sync", or "async" to wait for no answer' },
  ],
  example,
});

const offers = (name: string, mostChoices: number, summary: string, lead: string): Word => ({
  name,
  summary,
  form: `${name}(${lead}Card: "label") do text(...) end`,
  positional: lead === '' ? [] : [{ name: 'button', kind: 'template', summary: 'what the button says that opens the list' }],
  options: [],
  body: 'required',
  mostChoices,
  example: `${name}(${lead === '' ? '' : '"Open", '}Yes: "Oh yes", No: "Rather not") do\n  text("Shall we continue?")\nend`,
});

const all: readonly Word[] = [
  says('text', 'Sends a text. Directly behind a medium it is one message with it.', 'also'),
  shows('image', 'Sends a picture.', 'shop.png'),
  shows('video', 'Sends a film.', 'tour.mp4'),
  shows('audio', 'Sends a sound.', 'bell.ogg'),
  {
    ...shows('document', 'Sends a document.', 'plan.pdf'),
    options: [{ name: 'filename', kind: 'template', summary: 'the name it is saved under' }],
  },
  says('header', 'A line above the text of a choice or a question.', 'only'),
  says('footer', 'A line below the text of a choice or a question.', 'only'),
  offers(
    'buttons',
    NETWORK_LIMITS.buttons,
    `Offers up to ${NETWORK_LIMITS.buttons} buttons and waits: by label, \`[Card]\`, \`["label"]\`, or \`Card, expression\`.`,
    '',
  ),
  offers(
    'list',
    NETWORK_LIMITS.rows,
    `Offers a list of up to ${NETWORK_LIMITS.rows} rows and waits; written as \`buttons\` behind the label of its button.`,
    'label, ',
  ),
  {
    name: 'ask',
    summary: 'Asks for a text in the contact’s own words and waits.',
    form: 'ask(expression)',
    positional: [{ ...text, isOptional: true }],
    options: [],
    body: 'optional',
    example: 'age = ask("How old are you?")',
  },
  {
    name: 'then',
    summary: 'Continues with a card, under a condition or always.',
    form: 'then(Card when condition)',
    positional: [],
    options: [],
    example: 'then(Adult when age >= 18)',
  },
  {
    name: 'update_contact',
    summary: 'Writes fields of the contact.',
    form: 'update_contact(field: value)',
    positional: [],
    options: [],
    rest: { name: 'field', kind: 'template', summary: 'the value of the field' },
    example: 'update_contact(town: "@town", size: 7)',
  },
  {
    name: 'write_result',
    summary: 'Puts out a result of the journey.',
    form: 'write_result(name, value, label: text)',
    positional: [
      { name: 'name', kind: 'plain', summary: 'the name of the result' },
      { name: 'value', kind: 'expression', summary: 'its value' },
    ],
    options: [{ name: 'label', kind: 'template', summary: 'what people call it' }],
    example: 'write_result("score", points * 2, label: "Score")',
  },
  calls('get', 'found = get("https://api.example/shops", query: [["near", "@town"]])'),
  calls('post', 'sent = post("https://api.example/orders", body: "@json(order)")'),
  calls('put', 'put("https://api.example/orders/@id", body: "@json(order)")'),
  calls('patch', 'patch("https://api.example/orders/@id", body: "@json(order)")'),
  calls('delete', 'delete("https://api.example/orders/@id")'),
  {
    name: 'run_stack',
    summary: 'Runs another journey and continues when it ends; `child` has its variables.',
    form: 'run_stack(journey id)',
    positional: [journey],
    options: [],
    rest: { name: 'argument', kind: 'expression', summary: 'what the journey finds in parent' },
    example: 'run_stack("5e0c0a1e-0000-4000-8000-00000000000a", order: order.id)',
  },
  {
    name: 'schedule_stack',
    summary: 'Starts a journey for the contact later.',
    form: 'schedule_stack(journey id, in: seconds) or schedule_stack(journey id, at: moment)',
    positional: [journey],
    options: [
      { name: 'in', kind: 'expression', summary: 'seconds from now' },
      { name: 'at', kind: 'expression', summary: 'the moment' },
    ],
    oneOf: ['in', 'at'],
    example: 'schedule_stack("9a77b0b2-0000-4000-8000-00000000000b", in: 20 * 60 * 60)',
  },
  {
    name: 'cancel_scheduled_stacks',
    summary: 'Cancels what is scheduled of a journey for the contact.',
    form: 'cancel_scheduled_stacks(journey id)',
    positional: [journey],
    options: [],
    example: 'cancel_scheduled_stacks("9a77b0b2-0000-4000-8000-00000000000b")',
  },
  {
    name: 'send_content',
    summary: 'Sends a content card, and waits for an answer with `true`.',
    form: 'send_content(content id, true)',
    positional: [
      { name: 'content id', kind: 'template', summary: 'the uuid or name of a content card' },
      { name: 'waits', kind: 'flag', summary: 'whether it waits', isOptional: true },
    ],
    options: [],
    example: 'send_content("b1d6a5c2-0000-4000-8000-00000000000d", true)',
  },
  {
    name: 'add_label',
    summary: 'Puts a label on the message that the journey answers.',
    form: 'add_label(label)',
    positional: [{ name: 'label', kind: 'expression', summary: 'the label' }],
    options: [],
    example: 'add_label("Late")',
  },
  {
    name: 'send_message_template',
    summary: 'Sends an approved template; with cards as buttons it waits for an answer and continues with the chosen card.',
    form: 'send_message_template(name, language, [parameters], buttons: [Card])',
    positional: [
      { name: 'name', kind: 'expression', summary: 'the name of the template' },
      { name: 'language', kind: 'expression', summary: 'its language' },
      { name: 'parameters', kind: 'expressions', summary: 'what stands in for its parameters', isOptional: true },
    ],
    options: [
      { name: 'image', kind: 'expression', summary: 'the picture above it' },
      { name: 'video', kind: 'expression', summary: 'the film above it' },
      { name: 'document', kind: 'expression', summary: 'the document above it' },
      { name: 'buttons', kind: 'cards', summary: 'where its buttons lead' },
    ],
    example: 'send_message_template("spring_offer", "en", ["@contact.name"], buttons: [Buy, NotNow])',
  },
  {
    name: 'log',
    summary: 'Writes to the log of the run; the contact sees nothing of it.',
    form: 'log(expression)',
    positional: [text],
    options: [],
    example: 'log("no number: @age")',
  },
  {
    name: 'app',
    summary: 'Calls a function of an app: `.success`, `.output`.',
    form: 'app(name, function, [arguments])',
    positional: [
      { name: 'name', kind: 'plain', summary: 'the app' },
      { name: 'function', kind: 'plain', summary: 'its function' },
      { name: 'arguments', kind: 'expressions', summary: 'what it is given, in a row', isOptional: true },
    ],
    options: [],
    rest: { name: 'argument', kind: 'expression', summary: 'an argument with a name' },
    example: 'sent = app("stats", "post", ["@contact.id"])',
  },
];

/** The item words; the key is the name. */
export const words = new Table<Word>(all.map((word) => [word.name, word]));

/** Words of top-level declarations, and options of card heads. */
export const topWords = ['card', 'trigger', 'interaction_timeout', 'stack'] as const;
export const headOptions = ['then', 'version', 'uuid', 'code_generator'] as const;
export const contentWords: readonly string[] = [...words.values()].flatMap(({ name, inBody }) => (inBody ? name : []));

export const triggerOptions = ['on', 'interval', 'relative_to'] as const;
/** Events that a trigger can name. */
export const triggerKinds = ['MESSAGE RECEIVED', 'FIRST MESSAGE', 'CATCH ALL'] as const;
