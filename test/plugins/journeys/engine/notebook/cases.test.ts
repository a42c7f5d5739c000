import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Json, JsonObject } from '../../../../../core/json.js';
import { isObject } from '../../../../../plugins/journeys/engine/compile.js';
import { checkContainer } from '../../../../../plugins/journeys/engine/container.js';
import type { Container, ContainerBlock } from '../../../../../plugins/journeys/engine/floip.js';
import { compileNotebook } from '../../../../../plugins/journeys/engine/notebook/notebook.js';

const folder = 'test/plugins/journeys/engine/notebook/cases';
const files = readdirSync(folder).filter((file) => file.endsWith('.md'));
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');

interface ExpectedBlock {
  readonly name: string;
  readonly type: string;
  readonly card: string;
  readonly exits: readonly JsonObject[];
  readonly config?: JsonObject;
}

interface Expected {
  readonly entry: string;
  readonly interaction_timeout: number;
  readonly triggers: readonly JsonObject[];
  readonly config_items?: JsonObject;
  readonly tables?: JsonObject;
  readonly blocks: readonly ExpectedBlock[];
}

const EXPRESSIONS = ['test', 'value', 'choice_expression', 'schedule_in', 'schedule_at', 'when'];
const tight = (text: string): string => text.replace(/\s+/g, '');

/** Expressions without white space, and no nulls: what the cases do not care about. */
function plain(value: Json | undefined, key = ''): Json {
  if (typeof value === 'string') return EXPRESSIONS.includes(key) ? tight(value) : value;
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => plain(item, key));
  if (!isObject(value)) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => (item === null || item === undefined ? [] : [[name, plain(item, name)]])),
  );
}

/** The config of a block as the cases write it: with the words of resources in place of their uuids. */
function writtenOut(block: ContainerBlock, container: Container): JsonObject {
  const flow = container.flows[0]!;
  const resources = new Map((flow.resources ?? []).map((resource) => [resource.uuid, resource.values]));
  const words = (value: Json): Json => {
    if (typeof value === 'string') return resources.get(value)?.[0]?.value ?? value;
    if (Array.isArray(value)) return (value as readonly Json[]).map(words);
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, words(item)])) : value;
  };
  const config = Object.fromEntries(Object.entries(block.config ?? {}).filter(([key]) => key !== 'prompt' && key !== 'choices'));
  const { prompt, choices, destination_block } = block.config ?? {};
  const said = typeof prompt === 'string' ? resources.get(prompt) : undefined;
  return {
    ...(words(config) as JsonObject),
    ...(said && {
      prompt: said.map(({ content_type, mime_type, value }) => [
        mime_type === 'application/pdf' ? `${content_type};${mime_type}` : content_type,
        value,
      ]),
    }),
    ...(Array.isArray(choices) && {
      choices: (choices as readonly JsonObject[]).map(({ name, prompt: label, test }) => ({
        name,
        label: words(label!),
        test,
      })) as readonly Json[],
    }),
    ...(typeof destination_block === 'string' && {
      destination_block: flow.blocks.find(({ uuid }) => uuid === destination_block)?.name ?? null,
    }),
  };
}

const cardOf = (block: ContainerBlock): Json | undefined => (block.vendor_metadata?.svc as JsonObject | undefined)?.card;

for (const file of files.filter((name) => !name.startsWith('e'))) {
  t.test(`notebook ${file} becomes the blocks it should`, async (t) => {
    const expected = JSON.parse(read(file.replace('.md', '.expected.json'))) as Expected;
    const { container, triggers, config, findings } = compileNotebook(read(file));
    t.strictSame(
      findings.filter(({ severity }) => severity === 'error'),
      [],
    );
    if (!container) return;
    const flow = container.flows[0]!;
    const { blocks } = flow;
    const at = (uuid: Json | undefined): number => blocks.findIndex((block) => block.uuid === uuid);
    t.equal(blocks[at(flow.first_block_id)]?.name, expected.entry);
    t.equal(flow.interaction_timeout, expected.interaction_timeout);
    t.strictSame(plain(triggers as unknown as Json), plain(expected.triggers));
    t.strictSame(config.items, expected.config_items);
    for (const [name, rows] of Object.entries(expected.tables ?? {})) t.strictSame(config[name], rows);
    t.equal(blocks.length, expected.blocks.length);
    for (const [i, block] of expected.blocks.entries()) {
      const made = blocks[i]!;
      t.equal(cardOf(made), block.card, block.name);
      t.equal(made.name, block.name);
      t.equal(made.type, block.type, block.name);
      const isAssignment = made.type === 'Core.Case' && made.exits.length === 1;
      const exits = made.exits.map(({ name, test, default: isDefault, destination_block }) => {
        const to = at(destination_block as string);
        return {
          name: isAssignment ? tight(name ?? '') : (name ?? ''),
          to: to < 0 ? null : to,
          ...(test !== undefined && { test: tight(test ?? '') }),
          ...(isDefault && { default: true }),
        };
      });
      const wanted = block.exits.map(({ name, test, default: isDefault, at: to = null }) => ({
        name: isAssignment ? tight(name as string) : (name as string),
        to,
        ...(test !== undefined && { test: tight(test as string) }),
        ...(isDefault === true && { default: true }),
      }));
      t.strictSame(exits, wanted, `${block.name}: exits`);
      if (block.config) t.strictSame(plain(writtenOut(made, container)), plain(block.config), `${block.name}: config`);
    }
    t.strictSame(
      checkContainer(container).filter(({ severity }) => severity === 'error'),
      [],
      'the container can be run',
    );
  });
}

for (const file of files.filter((name) => name.startsWith('e'))) {
  t.test(`notebook ${file} has the errors it should, in their places, and no other`, async (t) => {
    const expected = JSON.parse(read(file.replace('.md', '.errors.json'))) as { line: number; column: number; expected: string }[];
    const { container, findings } = compileNotebook(read(file));
    const errors = findings.filter(({ severity }) => severity === 'error');
    t.equal(container, undefined);
    t.strictSame(
      errors.map(({ line, column }) => ({ line, column })),
      expected.map(({ line, column }) => ({ line, column })),
      errors.map(({ message }) => message).join('; '),
    );
    for (const [i, { message, fix }] of errors.entries()) {
      t.ok(fix, `${message}: says what to do`);
      const { expected: words } = expected[i] ?? { expected: '' };
      const [, near] = /nearest: (\w+)/.exec(words) ?? [];
      if (near !== undefined) t.equal(errors[i]?.nearest, near, message);
    }
  });
}
