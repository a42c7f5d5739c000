import type { JsonObject } from '#core/basics';
import { blockTypes } from '../blocks/index.js';
import { GENERAL, namesOf, type Setting } from '../blocks/settings.js';
import { isObject, listAt, textAt } from '../compile.js';
import { keysOfFormat, type Noun } from '../lint/keys.js';
import {
  attributeOptions,
  type Completion,
  type CompletionOptions,
  type Completions,
  expressionOptions,
  fitting,
  isInExpression,
  wordBefore,
} from './options.js';
import { type ReadAt, readAt } from './read-json.js';
import { blocksOf, cardOf, fieldsWritten, roleOf, variablesOf, type WrittenDefinition, writtenDefinition } from './written-definition.js';

const MAX_OPTIONS = 200;
const MAX_LABEL = 60;

/** A text that another place of the definition names. */
interface Target {
  readonly id: string;
  /** The name that authors know it by. */
  readonly name: string;
  readonly kind: Completion['kind'];
  readonly detail: string;
}

interface Spot extends ReadAt {
  readonly json: string;
  readonly offset: number;
  readonly definition: WrittenDefinition;
  /** The path with `#` for indexes, such as `flows/#/blocks/#/type`. */
  readonly pattern: string;
  readonly contactFields: readonly string[];
}

/**
 * Completes a definition as JSON at an offset: keys and types of blocks, the blocks, flows and resources that it names, and in its texts
 * functions, variables and contact fields. The text need not be JSON.
 */
export function definitionCompletionsAt(json: string, offset: number, { contactFields = [] }: CompletionOptions = {}): Completions {
  const at = Math.min(offset, json.length);
  const place = readAt(json, at);
  if (!place) return { from: at, to: at, options: [] };
  const pattern = place.path.map((step) => (typeof step === 'number' ? '#' : step)).join('/');
  const spot: Spot = { ...place, json, offset: at, definition: writtenDefinition(place.value), pattern, contactFields };
  if (spot.isKey) return inQuotes(spot, keys(spot), ': ');
  const targets = targetsAt(spot);
  if (targets) return named(spot, targets);
  return spot.isQuoted ? inText(spot) : { from: at, to: at, options: [] };
}

function inQuotes({ json, offset, from, to, isQuoted }: Spot, all: readonly Completion[], after = ''): Completions {
  const end = after !== '' && /^\s*:/.test(json.slice(to)) ? '' : after;
  const options = fitting(all, json.slice(from, offset)).slice(0, MAX_OPTIONS);
  const insertOf = (text: string): string => `${isQuoted ? '' : '"'}${JSON.stringify(text).slice(1)}${end}`;
  return { from, to, options: options.map((option) => ({ ...option, insert: insertOf(option.insert ?? option.label) })) };
}

/** Offers texts by the name that people know; by the text itself if that is what is being written. */
function named(spot: Spot, targets: readonly Target[]): Completions {
  const written = spot.json.slice(spot.from, spot.offset).toLowerCase();
  const options = targets.flatMap(({ id, name, kind, detail }): Completion | [] => {
    if (id === '') return [];
    const isById = written !== '' && id.toLowerCase().startsWith(written) && !name.toLowerCase().startsWith(written);
    return { label: isById ? id : name, kind, detail: isById && name !== id ? name : detail, insert: id };
  });
  return inQuotes(spot, options);
}

const PARTS: readonly (readonly [pattern: RegExp, noun: Noun])[] = [
  [/^$/, 'container'],
  [/^flows\/#$/, 'flow'],
  [/^flows\/#\/languages\/#$/, 'language'],
  [/^flows\/#\/blocks\/#$/, 'block'],
  [/^flows\/#\/blocks\/#\/exits\/#$/, 'exit'],
  [/^(?:flows\/#\/)?resources\/#$/, 'resource'],
  [/^(?:flows\/#\/)?resources\/#\/values\/#$/, 'value'],
];
const CONFIG = /^flows\/#\/blocks\/#\/config(?:\/|$)/;
/** The number of steps that lead to a config. */
const TO_CONFIG = 5;

function keys({ pattern, path, definition, value, json, from, to }: Spot): Completion[] {
  const parent = path.slice(0, -1);
  const outer = pattern.slice(0, Math.max(0, pattern.lastIndexOf('/')));
  const written = json.slice(from, to).replace(/"$/, '');
  const present = new Set(Object.keys(valueAt(value, parent)).filter((key) => key !== written));
  const noun = PARTS.find(([part]) => part.test(outer))?.[1];
  const known = noun
    ? Object.entries(keysOfFormat[noun]).map(([key, { flags }]) => [key, flags?.presence === 'required' ? `${noun}, required` : noun])
    : CONFIG.test(outer)
      ? settingsAt(definition.block(path), parent.slice(TO_CONFIG)).map((key) => [key, 'setting of the block'])
      : [];
  return known.flatMap(([label = '', detail = '']) => (present.has(label) ? [] : { label, kind: 'option', detail }));
}

function valueAt(value: ReadAt['value'], path: ReadAt['path']): object {
  let found: unknown = value;
  for (const key of path) found = typeof found === 'object' && found !== null ? (found as JsonObject)[key] : undefined;
  return typeof found === 'object' && found !== null ? found : {};
}

/** The keys of a config, or of an object in it. */
function settingsAt(block: JsonObject | undefined, path: ReadAt['path']): readonly string[] {
  const type = blockTypes.get(textAt(block ?? {}, 'type'));
  let setting: Setting | undefined = { ...type?.settings, ...GENERAL };
  for (const key of path) {
    if (typeof setting !== 'object') return [];
    const within: Setting = setting;
    setting = Array.isArray(within) ? (within as readonly Setting[])[0] : (within as Readonly<Record<string, Setting>>)[key];
  }
  return typeof setting === 'object' && !Array.isArray(setting) ? namesOf(setting as Readonly<Record<string, Setting>>) : [];
}

const DESTINATION = /^flows\/#\/(?:(?:first|exit)_block_id|blocks\/#\/(?:exits\/#|config)\/destination_block)$/;

/** The texts of which a place can have one; undefined if it can have others. */
function targetsAt({ pattern, path, definition, contactFields, json, offset }: Spot): readonly Target[] | undefined {
  const flow = definition.flow(path);
  const block = definition.block(path);
  if (pattern === 'flows/#/blocks/#/type')
    return [...blockTypes].map(([id, { settings }]) => ({
      id,
      name: id,
      kind: 'item',
      detail: namesOf(settings).join(', ') || 'type of block',
    }));
  if (DESTINATION.test(pattern)) return blocksOf(flow ?? {}).map(blockTarget);
  if (pattern === 'flows/#/blocks/#/config/flow_id' && textAt(block ?? {}, 'type') === 'Core.RunFlow')
    return definition.flows.map((one) => target(textAt(one, 'uuid'), textAt(one, 'name'), 'card', 'flow'));
  if (/(?:^|\/)resources\/#\/values\/#\/language_id$/.test(pattern)) return languagesOf(flow ? [flow] : definition.flows);
  if (/^flows\/#\/blocks\/#\/config\/set_contact_property(?:\/#)?\/property_key$/.test(pattern))
    return fieldsOf(definition, contactFields, json, offset).map((name) => target(name, name, 'field', 'field of the contact'));
  if (block && CONFIG.test(pattern) && roleOf(block, path.slice(TO_CONFIG - 1)) === 'resource')
    return definition.resources(flow).map(resourceTarget);
  return undefined;
}

const target = (id: string, name: string, kind: Completion['kind'], detail: string): Target => ({
  id,
  name: (name || id).slice(0, MAX_LABEL),
  kind,
  detail,
});

function blockTarget(block: JsonObject): Target {
  const card = cardOf(block);
  return target(textAt(block, 'uuid'), textAt(block, 'name'), 'card', `${textAt(block, 'type')}${card === '' ? '' : ` in card ${card}`}`);
}

function resourceTarget(resource: JsonObject): Target {
  const [text = ''] = listAt(resource, 'values').flatMap((value) => (isObject(value) ? textAt(value, 'value') || [] : []));
  const id = textAt(resource, 'uuid');
  return target(id, text.replace(/\s+/g, ' '), 'text', `resource ${id}`);
}

const languagesOf = (flows: readonly JsonObject[]): Target[] =>
  flows
    .flatMap((flow) => listAt(flow, 'languages'))
    .flatMap((language) => (typeof language === 'string' ? language : isObject(language) ? textAt(language, 'id') : []))
    .map((id) => target(id, id, 'text', 'language of the flow'));

const RESOURCE_TEXT = /^(?:flows\/#\/)?resources\/#\/values\/#\/value$/;

/** In texts, only expressions are completed. */
function inText({ json, offset, from, pattern, path, definition, contactFields }: Spot): Completions {
  const nothing = { from: offset, to: offset, options: [] };
  const block = definition.block(path);
  const isTest = /^flows\/#\/blocks\/#\/exits\/#\/test$/.test(pattern);
  const isConfig = CONFIG.test(pattern);
  const isExpression = isTest || (isConfig && block !== undefined && roleOf(block, path.slice(TO_CONFIG - 1)) === 'expression');
  if (!isExpression && !isConfig && !RESOURCE_TEXT.test(pattern)) return nothing;
  const text = json.slice(from, offset).replace(/\\(["\\/])/g, '$1');
  if (isExpression ? isInLiteral(text) : !isInExpression(text)) return nothing;
  const word = wordBefore(json, from, offset);
  const flow = definition.flow(path);
  const options =
    word.path.length === 0
      ? expressionOptions(variablesOf(flow ? [flow] : definition.flows))
      : word.path[0] === 'block'
        ? BLOCK_VALUES
        : attributeOptions(word.path, fieldsOf(definition, contactFields, json, offset), definition.config);
  return { from: offset - word.written.length, to: offset, options: fitting(options, word.written) };
}

const BLOCK_VALUES: readonly Completion[] = [
  { label: 'value', kind: 'field', detail: 'value of the block' },
  { label: 'response', kind: 'field', detail: 'answer of the contact' },
];

/** Whether the end of an expression is within a literal text. */
function isInLiteral(expression: string): boolean {
  let quote = '';
  for (const char of expression) if (quote === '' ? char === '"' || char === "'" : char === quote) quote = quote === '' ? char : '';
  return quote !== '';
}

/** Contact fields in use on the number, and those that the definition reads or writes, without the one being typed. */
function fieldsOf({ flows }: WrittenDefinition, known: readonly string[], json: string, offset: number): string[] {
  const read = [...json.matchAll(/(?<![\w.])contact\.([A-Za-z_]\w*)/g)];
  const others = read.flatMap(({ 0: { length }, 1: name = '', index }) => (index + length === offset ? [] : name));
  const word = wordBefore(json, 0, offset).written;
  return [...new Set([...known, ...others, ...fieldsWritten(flows).filter((name) => name !== word)])];
}
