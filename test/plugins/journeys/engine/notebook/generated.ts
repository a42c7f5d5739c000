import fc from 'fast-check';
import type { Container } from '../../../../../plugins/journeys/engine/floip.js';

/**
 * Notebooks by chance: programs without errors, written in as many ways as the language allows. An expression and an item are
 * lists of pieces that may have space between them; in brackets a line break or a comment is possible there too.
 */

const CARDS = ['Start', 'Menu', 'FAQMenu', 'Ask_1', 'SOME_WORD_1a2b', 'snake_card', 'HTTPStatus2Show', 'X'] as const;
const VARIABLES = ['age', 'town', 'found', 'ref_Ask_1', 'Total', 'contact.name', 'child.total', 'found.body.items', 'rows[0]'] as const;

type Pieces = readonly string[];

const letters = fc.constantFrom(...'abcxyz XYZ019.,!?()[]{}<>=+-*/%&|^~#$_:;\'"\\\n\t@éß😀⭐');
/** The content of a text: anything but a backslash at its end, which no quotes can hold. */
export const contents = fc
  .oneof(
    fc.string({ unit: letters, maxLength: 30 }),
    fc.constantFrom(
      'Good day, @contact.name.',
      'sum @(1 + 2)',
      'a@@b.example',
      'line\nline\n',
      '  in\n    deep\n',
      '@rows["k"].x',
      '"',
      "it's",
      '',
    ),
  )
  .filter((content) => !content.endsWith('\\'));
const labels = fc
  .string({ unit: fc.constantFrom(...'abcXYZ 019é⭐"\''), minLength: 1, maxLength: 20 })
  .filter((label) => label.trim() !== '');

/** A text in one of the ways of writing it. */
function written(content: string, way: number): string {
  const isWhole = content.endsWith('\n') && !/^[ \t]*"""/m.test(content);
  if (way === 2 && isWhole) return `"""\n${content.replace(/^(?=[^\n])/gm, '      ')}      """`;
  return way === 1 ? `'${content.replaceAll("'", "\\'")}'` : `"${content.replaceAll('"', '\\"')}"`;
}
const texts = fc.tuple(contents, fc.nat(2)).map(([content, way]) => written(content, way));
const labelTexts = labels.map((label) => written(label, 0));

const { expression: expressions } = fc.letrec<{ expression: Pieces }>((tie) => {
  const part = tie('expression') as fc.Arbitrary<Pieces>;
  const listed = (open: string, items: readonly Pieces[], close: string): Pieces => [
    open,
    ...items.flatMap((item, i) => (i === 0 ? item : [',', ...item])),
    close,
  ];
  return {
    expression: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom(...VARIABLES).map((name): Pieces => [name]),
      fc.constantFrom('7', '007', '5_000', '2.50', '0', 'true', 'false', 'nil', '2025-01-31', '@age').map((literal): Pieces => [literal]),
      texts.map((text): Pieces => [text]),
      fc
        .tuple(part, fc.constantFrom('=', '==', '!=', '<>', '<', '<=', '>', '>=', '&', '+', '-', '*', '/', '%'), part)
        .map(([left, sign, right]): Pieces => ['(', ...left, ')', sign, '(', ...right, ')']),
      fc.tuple(part, fc.constantFrom('and', 'or'), part).map(([left, word, right]): Pieces => [...left, word, ...right]),
      part.map((inside): Pieces => ['not', '(', ...inside, ')']),
      part.map((inside): Pieces => ['(', ...inside, ')']),
      fc.array(part, { maxLength: 3 }).map((items) => listed('[', items, ']')),
      fc.tuple(part, part, part).map((items) => listed('if(', items, ')')),
      fc.array(part, { minLength: 1, maxLength: 3 }).map((items) => listed('concatenate(', items, ')')),
      part.map((item) => listed('map(', [item, ['&', '[', '&1', ',', '&1', ']']], ')')),
      part.map((item) => listed('filter(', [item, ['&(', 'is_nil_or_empty(', '&1', ')', '==', 'false', ')']], ')')),
      part.map((item) => listed('map(', [item, ['&', '&1.name']], ')')),
      fc.tuple(part, texts).map(([item, text]) => listed('map(', [item, ['&', text]], ')')),
      part.map((index): Pieces => ['rows[', ...index, '].name']),
    ),
  };
});

const named = (name: string, value: Pieces): Pieces => [`${name}: `, ...value];
const call = (word: string, ...args: readonly Pieces[]): Pieces => [
  `${word}(`,
  ...args.flatMap((arg, i) => (i === 0 ? arg : [',', ...arg])),
  ')',
];
const one = texts.map((text): Pieces => [text]);
const uuid = fc.constant<Pieces>(['"9a77b0b2-0000-4000-8000-00000000000b"']);
const pairs = fc
  .array(fc.tuple(texts, texts), { maxLength: 2 })
  .map((list): Pieces => ['[', ...list.flatMap(([key, value], i) => [...(i === 0 ? [] : [',']), '[', key, ',', value, ']']), ']']);

/** The messages in a choice, each on a line of its own. */
const bodies = fc
  .tuple(fc.option(one), one, fc.option(one), fc.option(one))
  .map(([medium, text, header, footer]) => [
    ...(header ? [call('header', header)] : []),
    ...(medium ? [call('image', medium)] : []),
    call('text', text),
    ...(footer ? [call('footer', footer)] : []),
  ]);

interface Statement {
  readonly pieces: Pieces;
  readonly body?: readonly Pieces[];
}

function statementsOn(cards: readonly string[]): fc.Arbitrary<Statement> {
  const card = fc.constantFrom(...cards);
  const choice = (most: number) =>
    fc.oneof(
      fc
        .array(fc.tuple(card, labelTexts), { minLength: 1, maxLength: most })
        .map((list) => list.map(([name, label]) => named(name, [label]))),
      fc
        .array(card, { minLength: 1, maxLength: most })
        .map((list): Pieces[] => [['[', ...list.flatMap((name, i) => (i === 0 ? [name] : [',', name])), ']']]),
      fc
        .array(labelTexts, { minLength: 1, maxLength: most })
        .map((list): Pieces[] => [['[', ...list.flatMap((label, i) => (i === 0 ? [label] : [',', label])), ']']]),
      fc.tuple(card, expressions).map(([name, value]): Pieces[] => [[name], value]),
    );
  const assigned = (items: fc.Arbitrary<Statement>) =>
    fc
      .tuple(fc.option(fc.constantFrom('v', 'answer', 'ref_A')), items)
      .map(([name, item]) => (name ? { ...item, pieces: [name, '=', ...item.pieces] } : item));
  const plain = (items: fc.Arbitrary<Pieces>): fc.Arbitrary<Statement> => items.map((pieces) => ({ pieces }));
  return fc.oneof(
    assigned(plain(one.map((text) => call('text', text)))),
    assigned(plain(fc.tuple(fc.constantFrom('image', 'video', 'audio', 'document'), one).map(([word, link]) => call(word, link)))),
    assigned(plain(one.map((text) => call('log', text)))),
    assigned(plain(one.map((text) => call('ask', text)))),
    plain(fc.tuple(fc.constantFrom('v', 'w', 'total'), expressions).map(([name, value]): Pieces => [name, '=', ...value])),
    plain(
      fc
        .tuple(expressions, expressions, expressions)
        .map(([condition, yes, no]): Pieces => ['v', '=', 'if', '(', ...condition, ')', ',', 'do: ', ...yes, ',', 'else: ', ...no]),
    ),
    plain(
      fc.tuple(expressions, expressions).map(([condition, yes]): Pieces => ['v', '=', 'if', '(', ...condition, ')', 'do', ...yes, 'end']),
    ),
    assigned(fc.tuple(choice(3), bodies).map(([args, body]) => ({ pieces: call('buttons', ...args), body }))),
    assigned(fc.tuple(labelTexts, choice(10), bodies).map(([label, args, body]) => ({ pieces: call('list', [label], ...args), body }))),
    assigned(bodies.map((body) => ({ pieces: call('ask'), body }))),
    plain(
      fc
        .array(fc.tuple(fc.constantFrom('a', 'b', 'wants'), fc.oneof(one, expressions)), { minLength: 1, maxLength: 3 })
        .map((fields) => call('update_contact', ...[...new Map(fields)].map(([name, value]) => named(name, value)))),
    ),
    plain(
      fc
        .tuple(expressions, fc.option(one))
        .map(([value, label]) => call('write_result', ['"score"'], value, ...(label ? [named('label', label)] : []))),
    ),
    assigned(
      plain(
        fc
          .tuple(fc.constantFrom('get', 'post', 'put', 'patch', 'delete'), pairs, pairs, fc.option(one), fc.constantFrom('', '9_000'))
          .map(([method, query, headers, body, timeout]) =>
            call(
              method,
              ['"https://api.example/@town"'],
              named('query', query),
              named('headers', headers),
              ...(body ? [named('body', body)] : []),
              ...(timeout ? [named('timeout', [timeout])] : []),
            ),
          ),
      ),
    ),
    plain(uuid.map((id) => call('run_stack', id))),
    plain(fc.tuple(uuid, expressions).map(([id, value]) => call('run_stack', id, named('order', value)))),
    plain(
      fc.tuple(uuid, fc.constantFrom('in', 'at'), expressions).map(([id, key, value]) => call('schedule_stack', id, named(key, value))),
    ),
    plain(uuid.map((id) => call('cancel_scheduled_stacks', id))),
    plain(fc.tuple(uuid, fc.constantFrom<Pieces[]>([], [['true']], [['false']])).map(([id, waits]) => call('send_content', id, ...waits))),
    plain(one.map((label) => call('add_label', label))),
    plain(
      fc
        .tuple(fc.array(expressions, { maxLength: 2 }), fc.option(one), fc.array(card, { maxLength: 3 }))
        .map(([texts, image, buttons]) =>
          call(
            'send_message_template',
            ['"offer"'],
            ['"en"'],
            ['[', ...texts.flatMap((text, i) => (i === 0 ? text : [',', ...text])), ']'],
            ...(image ? [named('image', image)] : []),
            ...(buttons.length > 0
              ? [named('buttons', ['[', ...buttons.flatMap((name, i) => (i === 0 ? [name] : [',', name])), ']'])]
              : []),
          ),
        ),
    ),
    plain(fc.tuple(expressions, expressions).map(([a, b]) => call('app', ['"stats"'], ['"post"'], ['[', ...a, ',', ...b, ']']))),
    plain(fc.tuple(card, fc.option(expressions)).map(([name, when]): Pieces => ['then(', name, ...(when ? ['when', ...when] : []), ')'])),
  );
}

interface Definition {
  readonly name: string;
  readonly label: string | null;
  readonly when: Pieces | null;
  readonly next: string | null;
  readonly options: boolean;
  readonly items: readonly Statement[];
}

const definitions: fc.Arbitrary<readonly Definition[]> = fc
  .uniqueArray(fc.constantFrom(...CARDS), { minLength: 1, maxLength: 5 })
  .chain((names) => {
    const definition = (first: boolean) =>
      fc.record({
        name: first ? fc.constant(names[0]!) : fc.constantFrom(...names),
        label: fc.option(labels),
        when: fc.option(expressions),
        next: fc.option(fc.constantFrom(...names)),
        options: fc.boolean(),
        items: fc.array(statementsOn(names), { minLength: first ? 1 : 0, maxLength: 5 }),
      });
    // Every card is defined, some several times.
    const each = names.map((name) => definition(false).map((made) => ({ ...made, name })));
    return fc
      .tuple(definition(true), fc.tuple(...each), fc.array(definition(false), { maxLength: 3 }))
      .map(([first, all, more]) => [first, ...all, ...more]);
  });

/** Space by chance, the same for the same numbers. */
class Noise {
  private readonly numbers: readonly number[];
  private at = 0;

  constructor(numbers: readonly number[]) {
    this.numbers = numbers;
  }

  pick(...choices: readonly string[]): string {
    const number = this.numbers[this.at++ % this.numbers.length] ?? 0;
    return choices[number % choices.length]!;
  }
}

/** Whether two pieces would run into each other without a space. */
const wantsSpace = (before: string, after: string): boolean =>
  /[\w"'\])&@.]$/.test(before) ||
  /^[\w"'&@=<>!.-]/.test(after) ||
  (/[=<>!&-]$/.test(before) && /^[=<>!&-]/.test(after)) ||
  /^(?:if|not|and|or)$/.test(before);

function joined(pieces: Pieces, noise: Noise): string {
  let text = '';
  let depth = 0;
  for (const [i, piece] of pieces.entries()) {
    const before = pieces[i - 1] ?? '';
    // A bracket right behind a word would be that of a call.
    const isApart = i > 0 && (wantsSpace(before, piece) || (piece === '(' && /\w$/.test(before)));
    const wide = depth > 0 ? noise.pick(' ', ' ', '  ', '\n   ', ' # why\n ') : noise.pick(' ', ' ', '   ');
    const isOpen = /[([]$/.test(before);
    if (i > 0)
      text +=
        isApart && !isOpen && !/^[)\],]/.test(piece)
          ? wide
          : depth > 0 && !piece.startsWith('[') && !piece.startsWith('(')
            ? noise.pick('', wide)
            : '';
    text += piece;
    if (/[([]$/.test(piece)) depth++;
    if (/^[)\]]/.test(piece)) depth--;
  }
  return text;
}

function code(all: readonly Definition[], noise: Noise): string {
  const lines = all.map(({ name, label, when, next, options, items }) => {
    const head = [
      `card ${name}`,
      label === null ? '' : `, ${written(label, 0)}`,
      when === null ? '' : ` when ${joined(['(', ...when, ')'], noise)}`,
      next === null ? '' : `,${noise.pick(' ', '\n  ')}then: ${next}`,
      options ? ', version: "1", code_generator: "TEXT"' : '',
    ].join('');
    const statements = items.map(({ pieces, body }) => {
      const lines = body ? ` do\n${body.map((line) => `   ${joined(line, noise)}`).join('\n')}\n end` : '';
      return `${noise.pick('  ', '', '\t', '\n  # note\n  ')}${joined(pieces, noise)}${lines}${noise.pick('', ' # behind', '\n')}`;
    });
    return `${noise.pick('', '# above\n', '\n\n')}${head} do\n${statements.join('\n')}\nend`;
  });
  return lines.join(noise.pick('\n', '\n\n\n', '\n  # between\n'));
}

/** A notebook without errors. */
export const notebooks: fc.Arbitrary<string> = fc
  .tuple(definitions, fc.array(fc.nat(50), { minLength: 20, maxLength: 60 }), fc.boolean(), fc.boolean())
  .map(([all, numbers, isBare, hasMore]) => {
    const text = code(all, new Noise(numbers));
    const more = hasMore
      ? 'trigger(on: "MESSAGE RECEIVED") when has_phrase(event.message.text.body, "hi")\ninteraction_timeout(1_200)\n'
      : '';
    return isBare
      ? `${more}${text}\n`
      : `# A notebook\n\nProse.\n\n<!-- { section: "s", x: 12, y: -40.5} -->\n\n~~~stack\n${more}${text}\n~~~\n\nMore prose.\n`;
  });

/** A container without the places of its parts in the text. */
export const unplaced = (container: Container | undefined): string =>
  JSON.stringify(container, (key, value) => (key === 'source' || key === 'meta' ? undefined : value), 1);
