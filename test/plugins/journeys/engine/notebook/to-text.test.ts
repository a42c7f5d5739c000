import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { NETWORK_CAPABILITIES } from '../../../../../core/turns/network-limits.js';
import { checkContainer } from '../../../../../plugins/journeys/engine/container.js';
import type { Container } from '../../../../../plugins/journeys/engine/floip.js';
import type { CheckedChannel } from '../../../../../plugins/journeys/engine/lint/channel.js';
import { lintJourney } from '../../../../../plugins/journeys/engine/lint/lint.js';
import { checkNotebook } from '../../../../../plugins/journeys/engine/notebook/check-notebook.js';
import { formatNotebook } from '../../../../../plugins/journeys/engine/notebook/format.js';
import { compileNotebook } from '../../../../../plugins/journeys/engine/notebook/notebook.js';
import { notebookOf } from '../../../../../plugins/journeys/engine/notebook/to-text/to-text.js';
import { containerOf, type Draft, seen, Talk } from '../journey-under-test.js';
import { unplaced } from './generated.js';

const cases = 'test/plugins/journeys/engine/notebook/cases';
const steps = 'test/plugins/journeys/engine/step';
const read = (file: string): string => readFileSync(file, 'utf8');
const cafe = JSON.parse(/^```json journey\n([\s\S]*?)^```$/m.exec(read('plugins/journeys/engine/README.md'))![1]!) as Container;
const clinic = JSON.parse(read('test/plugins/journeys/engine/clinic.journey.json')) as Container;
const asStored = (container: Container): Container => JSON.parse(JSON.stringify(container)) as Container;

t.test('to-text writes every notebook of the cases from its container', async (t) => {
  for (const file of readdirSync(cases).filter((name) => /^\d.*\.md$/.test(name))) {
    const { container, triggers } = compileNotebook(read(join(cases, file)));
    const { text, unsaid } = notebookOf(asStored(container!), { triggers });
    const again = compileNotebook(text, { uuid: container!.uuid, name: container!.name });
    t.equal(unplaced(again.container), unplaced(container), file);
    t.strictSame(again.triggers, triggers, file);
    t.strictSame(unsaid, [], file);
    t.equal(formatNotebook(text).text, text, file);
  }
});

t.test('every journey of the cases of blocks, and both of the examples, become notebooks that say it again', async (t) => {
  const drafts = readdirSync(steps).flatMap((file) => JSON.parse(read(join(steps, file))) as Draft[]);
  const containers = [cafe, clinic, ...drafts.map(containerOf)].filter(
    (container) => !checkContainer(container).some(({ severity }) => severity === 'error'),
  );
  t.ok(containers.length > 150, `${containers.length} journeys`);
  for (const container of containers) {
    const { text, unsaid } = notebookOf(container);
    const { container: made, findings } = compileNotebook(text, { uuid: container.uuid, name: container.name });
    t.strictSame(
      findings.filter(({ severity }) => severity === 'error'),
      [],
      text,
    );
    t.equal(notebookOf(made!).text, formatNotebook(notebookOf(made!).text).text);
    const again = compileNotebook(notebookOf(made!).text, { uuid: container.uuid, name: container.name });
    t.equal(unplaced(again.container), unplaced(made), text);
    for (const { message, path } of unsaid) t.ok(message !== '' && path.startsWith('/'), message);
    // A block that notebooks cannot express becomes a comment in its place.
    const missing = unsaid.filter(({ message }) => /^a notebook cannot express blocks of type|have no form in a notebook$/.test(message));
    t.equal([...text.matchAll(/^ *# .* is omitted: a notebook cannot express it$/gm)].length, missing.length, text);
  }
});

t.test('to-text names the parts of a journey that a notebook cannot express', async (t) => {
  t.strictSame(notebookOf(cafe).unsaid, [
    { path: '/flows/0/blocks/1', block: 'people', message: 'a notebook cannot express blocks of type MobilePrimitives.NumericResponse' },
  ]);
  const { unsaid } = notebookOf(clinic);
  t.match(unsaid, [
    { path: '/flows/1', message: /flow 'booking'/ },
    { path: '/flows/0/languages', message: /texts in language/ },
  ]);
  const parts = unsaid.map(({ path }) => path.replace(/^\/flows\/0\/blocks\/\d+\//, ''));
  for (const part of ['config/normalise', 'config/validate', 'config/on_invalid', 'config/choices', 'exits'])
    t.ok(parts.includes(part), part);
});

t.test('a journey that was written as JSON says the same from its notebook', async (t) => {
  const container = containerOf({
    texts: {
      hi: 'Hi @contact.name',
      more: 'More?',
      yes: 'Yes',
      no: 'No',
      bye: 'Bye @answer',
      thanks: 'Thank you',
      pic: [{ language_id: 'eng', content_type: 'IMAGE', value: 'https://a.test/a.png' }],
    },
    languages: ['eng'],
    blocks: [
      { name: 'hello', type: 'MobilePrimitives.Message', config: { prompt: 'hi' } },
      {
        name: 'answer',
        type: 'MobilePrimitives.SelectOneResponse',
        config: {
          prompt: 'more',
          choices: [
            { name: 'yes', prompt: 'yes' },
            { name: 'nope', prompt: 'no' },
          ],
        },
        exits: [
          { name: 'yes', test: 'block.value = "yes"', to: 'hello' },
          { name: 'nope', test: "block.value = 'nope'", to: 'sort' },
          { to: 'answer' },
        ],
      },
      {
        name: 'sort',
        type: 'Core.Case',
        exits: [{ name: 'known', test: 'contact.name == "Ann" and (1 = 1 or false)', to: 'show' }, { to: 'bye' }],
      },
      { name: 'show', type: 'MobilePrimitives.Message', config: { prompt: 'pic' } },
      { name: 'thanks', type: 'MobilePrimitives.Message', config: { prompt: 'thanks' }, exits: [{ to: null }] },
      { name: 'bye', type: 'MobilePrimitives.Message', config: { prompt: 'bye' }, exits: [{ to: null }] },
    ],
  });
  const { text, unsaid } = notebookOf(container);
  t.equal(
    text,
    `# Under test

\`\`\`stack
card Hello, then: Answer do
  hello = text("Hi @contact.name")
end

card Answer, then: Answer do
  buttons(Yes: "Yes", Nope: "No") do
    text("More?")
  end
end

card Sort do
  then(Show when contact.name == "Ann" and (1 = 1 or false))
  bye = text("Bye @answer")
end

card Show do
  show = image("https://a.test/a.png")
  thanks = text("Thank you")
end

card Yes, then: Hello do
end

card Nope, then: Sort do
end
\`\`\`
`,
  );
  t.strictSame(
    unsaid.map(({ path }) => path),
    ['/flows/0/blocks/2/name', '/flows/0/blocks/2/exits/0/name', '/flows/0/blocks/2/exits/1/name'],
  );
  const made = compileNotebook(text, { uuid: container.uuid }).container!;
  for (const name of ['Ann', 'Bo']) {
    const conversation = (definition: Container): unknown => {
      const talk = new Talk({ main: definition });
      return [talk.start({ contact: { name } }), talk.say('maybe'), talk.say('Yes'), talk.say('no')].map(seen);
    };
    t.strictSame(conversation(made), conversation(container));
  }
});

t.test('to-text keeps texts that contain signs of the language', async (t) => {
  const texts = [
    '```\nfence\n~~~\n',
    'a "quote" and \\"more\\"',
    "it's",
    '@@x @(1 + 1)',
    '  in\n\n   deep \n',
    '"""\n',
    'card X do\n',
    '# no comment',
    '\t',
    'é😀',
  ];
  const container = containerOf({
    texts: Object.fromEntries(texts.map((text, i) => [`r${i}`, text])),
    languages: ['eng'],
    blocks: [...texts.map((_, i) => ({ name: `say${i}`, type: 'MobilePrimitives.Message', config: { prompt: `r${i}` } }))],
  });
  const { text, unsaid } = notebookOf(container);
  t.strictSame(unsaid, []);
  t.strictSame(
    compileNotebook(text).container?.flows[0]?.resources?.map(({ values }) => values[0]?.value),
    texts,
  );
  // A text that ends with a backslash has no quotes to end in; a line break of two signs is one sign in a notebook.
  const odd = containerOf({
    texts: { a: 'ends with \\', b: 'one\r\ntwo' },
    languages: ['eng'],
    blocks: ['a', 'b'].map((prompt) => ({ name: prompt, type: 'MobilePrimitives.Message', config: { prompt } })),
  });
  t.match(notebookOf(odd).unsaid.length > 0, true);
});

t.test('an empty semantic label is none, and a short dynamic list of an export is a list as in its text', async (t) => {
  const { container } = compileNotebook(
    'card A, then: B do\n  text("hi")\nend\ncard B do\n  x = list("Open", C, map(["one", "two"], &[&1, &1])) do\n    text("Which?")\n  end\nend\ncard C do\n  text("yes")\nend\n',
  );
  const exported = asStored(container!) as unknown as {
    flows: { blocks: { type: string; vendor_metadata: Record<string, object>; exits: { semantic_label?: string }[] }[] }[];
  };
  for (const { blocks } of exported.flows) for (const { exits } of blocks) for (const exit of exits) exit.semantic_label = '';
  t.strictSame(notebookOf(exported as unknown as Container).unsaid, []);
  // Exports of other platforms have the item's type only.
  for (const { blocks } of exported.flows) {
    for (const block of blocks) {
      const type = block.type === 'Io.Turn.DynamicSelectOneResponse' ? 'dynamic_list' : 'text';
      block.vendor_metadata = { io: { turn: { stacks_dsl: { '0.1.0': { card_item: { type } } } } } };
    }
  }
  const said = [container!, exported as unknown as Container].map((main) => {
    const { events } = new Talk({ main }).start();
    return events.flatMap((event) => {
      if (event.type !== 'message_out') return [];
      const { interactive } = event.turn as { readonly interactive?: { readonly type: string } };
      return interactive ? [interactive.type] : [];
    });
  });
  t.strictSame(said, [['list'], ['list']]);
});

/** A container as production platforms export it: older, with empty values everywhere, and without our metadata. */
function asExported(container: Container): Container {
  const exported = asStored(container) as unknown as ExportedContainer;
  const language = { id: 'c1f3d2a0-0000-4000-8000-00000000000a', label: 'English', iso_639_3: 'eng', variant: null, bcp_47: null };
  // Canonical texts of more than about 98 characters are broken over lines.
  const wrapped = (source: string): string => (source.length > 98 ? source.replaceAll(', ', ',\n  ') : source);
  const resources = exported.flows.flatMap((flow) => flow.resources ?? []);
  for (const { values } of resources) for (const value of values) value.language_id = language.id;
  for (const flow of exported.flows) {
    delete flow.resources;
    Object.assign(flow, { name: 'stack', label: null, exit_block_id: '', languages: [language] });
    for (const block of flow.blocks) {
      const { card, card_item, index } = block.vendor_metadata?.io?.turn?.stacks_dsl?.['0.1.0'] ?? {};
      const { code_generator: _, version: __, ...olderCard } = card ?? {};
      const ui_metadata = { canvas_coordinates: { x: 0, y: 0 } };
      const vendor_metadata = { io: { turn: { stacks_dsl: { '0.1.0': { card: olderCard, card_item, index } } } } };
      Object.assign(block, { label: '', semantic_label: '', tags: [], ui_metadata, vendor_metadata });
      if (block.type === 'MobilePrimitives.OpenResponse') block.config.max_response_characters = null;
      for (const choice of block.config.choices ?? []) choice.test = choice.test?.replace(' == ', ' = ');
      for (const part of block.config.template?.components ?? [])
        for (const parameter of part.type === 'body' ? part.parameters : []) parameter.language = null;
      // Routes at the end of a guarded card have no default exit.
      if (/^Routing for .*_condition_/.test(block.name))
        block.exits = block.exits.filter((exit) => !exit.default || exit.destination_block !== null);
      for (const exit of block.exits) {
        const [isAssignment, test] = [block.type === 'Core.Case' && block.exits.length === 1, exit.test ?? ''];
        const more = { default: exit.default ?? false, destination_block: exit.destination_block ?? '', test: wrapped(test) };
        Object.assign(exit, { semantic_label: '', config: {}, vendor_metadata: {}, ...more });
        if (isAssignment) exit.name = wrapped(exit.name);
      }
    }
  }
  return { ...exported, specification_version: '1.0.0-rc3', description: null, resources } as unknown as Container;
}

interface ExportedContainer {
  readonly flows: readonly {
    resources?: readonly { readonly values: readonly { language_id: string }[] }[];
    readonly blocks: readonly {
      readonly name: string;
      readonly type: string;
      readonly vendor_metadata?: { readonly io?: { readonly turn?: { readonly stacks_dsl?: Record<string, StackMetadata> } } };
      readonly config: {
        max_response_characters?: null;
        readonly choices?: readonly { test?: string | undefined }[];
        readonly template?: {
          readonly components: readonly { readonly type: string; readonly parameters: readonly { language?: null }[] }[];
        };
      };
      exits: readonly { name: string; readonly default?: boolean; readonly destination_block?: string | null; readonly test?: string }[];
    }[];
  }[];
}

interface StackMetadata {
  readonly card?: { readonly code_generator?: string; readonly version?: string };
  readonly card_item?: object;
  readonly index?: number;
}

t.test(
  'to-text of an export is silent where nothing is lost: every notebook of the cases and of the pages, in the form of exports',
  async (t) => {
    const files = readdirSync(cases).filter((name) => /^\d.*\.md$/.test(name));
    const pages = ['sandbox/demo/library.md', 'sandbox/starters/project/menu.journey.md'];
    for (const file of [...files.map((name) => join(cases, name)), ...pages]) {
      const { container } = compileNotebook(read(file));
      const exported = asExported(container!);
      t.strictSame(
        checkContainer(exported).filter(({ severity }) => severity === 'error'),
        [],
        file,
      );
      const { text, unsaid } = notebookOf(exported);
      t.strictSame(unsaid, [], file);
      const again = compileNotebook(text, { uuid: container!.uuid, name: container!.name });
      t.equal(notebookOf(again.container!).text, text, `${file} again`);
      const labels = (main: Container) => seen(new Talk({ main }).start());
      t.strictSame(labels(exported), labels(container!), `${file}: the contact sees the same`);
    }
  },
);

t.test(
  'lint has no false error: the fixtures that run have none, as notebooks, as JSON and as exports, for a number of the network too',
  async (t) => {
    const network: CheckedChannel = { ...NETWORK_CAPABILITIES, severity: 'error' };
    const files = readdirSync(cases).filter((name) => /^\d.*\.md$/.test(name));
    const notebooks = [...files.map((name) => join(cases, name)), 'sandbox/demo/library.md', 'sandbox/starters/project/menu.journey.md'];
    const compiled = notebooks.map((file) => [file, compileNotebook(read(file)).container!] as const);
    const containers = [...compiled, ...compiled.map(([file, container]) => [`${file} exported`, asExported(container)] as const)];
    const errors = [
      ...notebooks.map((file) => [file, checkNotebook(read(file), {}, undefined, network).findings] as const),
      ...[...containers, ['clinic', clinic] as const, ['cafe', cafe] as const].map(
        ([name, container]) => [name, lintJourney(container, undefined, network)] as const,
      ),
    ].flatMap(([name, findings]) =>
      findings.filter(({ severity }) => severity === 'error').map(({ code, message }) => `${name}: ${code} ${message}`),
    );
    t.strictSame(errors, [], `${notebooks.length} notebooks and ${containers.length + 2} containers`);
  },
);
