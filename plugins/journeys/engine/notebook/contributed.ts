import type { Json } from '#core/basics';
import type { BlockSetting, ContributedBlock } from '../blocks/contributed.js';
import { blockTypes } from '../blocks/index.js';
import { marksOf, templateAt, valueAt } from './call-values.js';
import type { Clause } from './draft.js';
import type { CallItem } from './syntax.js';
import { textLiteral } from './to-text/literals.js';
import { assigned, call as callText, expression, type Say, template } from './to-text/say-context.js';
import type { Parameter, Word } from './words.js';

/** The word of notebooks for a block type of a plugin. */
export function wordOf(block: ContributedBlock, word: string): Word {
  const parameters = Object.entries(block.declared).map(
    ([name, { kind, summary, isOptional = false }]): Parameter => ({ name, kind, summary, isOptional }),
  );
  const positional = parameters.filter(({ isOptional }) => !isOptional);
  const options = parameters.filter(({ isOptional }) => isOptional);
  const form = `${word}(${[...positional.map(({ name }) => name), ...options.map(({ name }) => `${name}: ${name}`)].join(', ')})`;
  return {
    name: word,
    summary: block.summary,
    form,
    positional,
    options,
    example: `${word}(${positional.map(sampleOf).join(', ')})`,
    block,
  };
}

const SAMPLES: Readonly<Record<BlockSetting['kind'], string>> = {
  template: '""',
  plain: '""',
  expression: 'nil',
  whole: '1',
  flag: 'true',
};

const sampleOf = ({ kind }: Parameter): string => SAMPLES[kind as BlockSetting['kind']];

/** Compiles a word of a plugin to its block. */
export function writeContributed(clause: Clause, call: CallItem, { type, declared }: ContributedBlock): void {
  const config = Object.fromEntries(
    Object.entries(declared).flatMap(([name, { kind }]): [string, Json][] => {
      const value = valueAt(call, name);
      if (!value) return [];
      if (kind === 'template') return [[name, templateAt(call, name)]];
      if (kind === 'plain') return [[name, value.content ?? '']];
      return [[name, kind === 'whole' ? Number(value.text) : kind === 'flag' ? value.text === 'true' : value.text]];
    }),
  );
  clause.add({
    name: call.name ?? `${clause.base}_${call.word.name}`,
    ...{ type, config, itemType: call.word.name },
    marks: () => marksOf(call, Object.fromEntries(Object.keys(declared).map((name) => [name, `config/${name}`]))),
  });
}

/** Writes a block of a plugin as its word; undefined for a type without one. */
export function sayerOf(type: string): Say | undefined {
  const known = blockTypes.get(type) as Partial<ContributedBlock> | undefined;
  const { word, declared } = known ?? {};
  if (word === undefined || !declared) return undefined;
  return (block, { base }) => {
    const say = (name: string, kind: BlockSetting['kind']) => sayValue(kind, block.config[name]);
    const settings = Object.entries(declared).filter(([name, { isOptional }]) => !isOptional || (block.config[name] ?? null) !== null);
    // Options come last, whatever the order of the settings.
    const args = settings.toSorted(([, a], [, b]) => Number(a.isOptional ?? false) - Number(b.isOptional ?? false));
    const said = args.map(([name, { kind, isOptional }]) => [isOptional ? `${name}: ` : '', say(name, kind)] as const);
    if (said.some(([, text]) => text === undefined)) return undefined;
    return [
      assigned(
        block,
        `${base}_${word}`,
        callText(
          word,
          said.map((parts) => parts.join('')),
        ),
      ),
    ];
  };
}

function sayValue(kind: BlockSetting['kind'], value: Json | undefined): string | undefined {
  if (kind === 'expression') return expression(value);
  if (kind === 'whole') return Number.isSafeInteger(value) && Number(value) >= 0 ? String(value) : undefined;
  if (kind === 'flag') return typeof value === 'boolean' ? String(value) : undefined;
  if (typeof value !== 'string') return undefined;
  return kind === 'plain' ? textLiteral(value) : template(value);
}
