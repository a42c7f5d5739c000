import type { JsonObject } from '#core/basics';
import { type Block, isObject, listAt, objectAt, textAt } from '../../compile.js';
import { contactProperties } from '../../contact-properties.js';
import { baseOf, distinct } from '../names.js';
import { usualExit } from './cards.js';
import { textLiteral } from './literals.js';
import { nameOf, sayChoice, sayDynamic } from './say-choices.js';
import {
  assigned,
  body,
  type Context,
  call,
  contents,
  expression,
  firstText,
  isName,
  itemType,
  pairs,
  type Say,
  template,
  valuesOf,
  wordFor,
} from './say-context.js';

/** A text, a medium, or a medium joined with a text. */
const sayMessage: Say = (block, context) => {
  const values = valuesOf(context, block.config.prompt);
  const [first, second, ...more] = values;
  if (!first || more.length > 0 || (second && (wordFor(first) === 'text' || wordFor(second) !== 'text'))) return undefined;
  const word = wordFor(first);
  const { filename } = block.config;
  const args = [
    textLiteral(first.value),
    ...(word === 'document' && typeof filename === 'string' ? [`filename: ${template(filename)}`] : []),
  ];
  const item = assigned(block, `${context.base}_${word}`, call(word, args));
  return second ? [item, call('text', [textLiteral(second.value)])] : [item];
};

const sayQuestion: Say = (block, context) => {
  const { config } = block;
  const values = valuesOf(context, config.prompt);
  const [only, ...more] = values;
  if (!only) return undefined;
  const isPlain = more.length === 0 && wordFor(only) === 'text' && !config.header && !config.footer;
  const item = isPlain ? call('ask', [textLiteral(only.value)]) : `ask()${body(contents(context, values, config))}`;
  return [assigned(block, context.base, item)];
};

/** A list of routes, or an assignment. */
const sayCase: Say = (block, context) => {
  const exits = block.exits.filter(({ isDefault }) => !isDefault);
  if (exits.length === 0) return sayAssignment(block, context);
  const routes = exits.map((exit) => {
    const target = context.cards.targetOf(exit) ?? (exit.to === null ? context.cards.end() : undefined);
    const isAlways = exit.test?.trim() === 'true';
    const when = isAlways ? '' : expression(exit.test);
    return target === undefined || when === undefined ? undefined : `then(${nameOf(target)}${isAlways ? '' : ` when ${when}`})`;
  });
  return routes.every((route) => route !== undefined) ? (routes as string[]) : undefined;
};

const sayAssignment: Say = (block, context) => {
  const name = usualExit(block)?.name ?? '';
  const isWords = !['expression', 'literal'].includes(itemType(block)) && /^[\w -]*$/.test(name);
  const value = isWords ? textLiteral(name) : expression(name);
  return value === undefined ? undefined : [assigned(block, `${context.base}_expression`, value)];
};

/** Keywords may be reserved words. */
const isKeyword = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name);

/** Contact fields of a block as keyword arguments. */
function contactFields({ config }: Block): [name: string, argument: string][] | undefined {
  const fields = contactProperties(config).map((property): [string, string] | undefined => {
    const key = isObject(property) ? textAt(property, 'property_key') : '';
    return isObject(property) && isKeyword(key) ? [key, `${key}: ${template(property.property_value)}`] : undefined;
  });
  return fields.length > 0 && fields.every((field) => field !== undefined) ? (fields as [string, string][]) : undefined;
}

/** Writes consecutive contact updates as one item. */
export function sayContacts(blocks: readonly [Block, ...Block[]], { base }: Context): readonly string[] | undefined {
  const fields = blocks.map(contactFields);
  if (!fields.every((field) => field !== undefined)) return undefined;
  const usual = blocks.every(({ name }, i) => name === `${base}_contact_update_${fields[i]![0]![0]}`);
  const [first] = blocks;
  const args = fields.flatMap((field) => field!.map(([, argument]) => argument));
  return [assigned(first, usual ? first.name : '', call('update_contact', args))];
}

const sayContact: Say = (block, context) => sayContacts([block], context);

const sayResult: Say = ({ name, config }) => {
  const value = expression(config.value);
  const { label } = config;
  return value === undefined
    ? undefined
    : [call('write_result', [textLiteral(name), value, ...(typeof label === 'string' ? [`label: ${template(label)}`] : [])])];
};

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const sayWebhook: Say = (block, { base }) => {
  const { config } = block;
  const method = textAt(config, 'method').toLowerCase();
  if (!METHODS.includes(method)) return undefined;
  const options: [string, string | undefined][] = [
    ['query', pairs(config, 'query')],
    ['headers', pairs(config, 'headers')],
    ['body', typeof config.body === 'string' ? template(config.body) : undefined],
    ['timeout', numberUnless(config.timeout, 5000)],
    ['cache_ttl', numberUnless(config.cache_ttl, 60_000)],
    ['mode', textAt(config, 'mode') === 'async' ? '"async"' : undefined],
  ];
  const args = options.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return [assigned(block, base, call(method, [template(config.url), ...args]))];
};

const numberUnless = (value: unknown, usual: number): string | undefined =>
  typeof value === 'number' && value !== usual && value >= 0 && Number.isInteger(value)
    ? String(value).replace(/(?<=\d)(?=(?:\d{3})+$)/g, '_')
    : undefined;

/** Keyword arguments; undefined when a key is not a name or a value not an expression. */
function named(values: JsonObject): string[] | undefined {
  const options = Object.entries(values).map(([name, value]) => {
    const text = expression(value);
    return text === undefined || !isKeyword(name) ? undefined : `${name}: ${text}`;
  });
  return options.every((option) => option !== undefined) ? (options as string[]) : undefined;
}

const sayRun: Say = (block, { base }) => {
  const args = named(objectAt(block.config, 'args'));
  return args && [assigned(block, `${base}_run_stack`, call('run_stack', [template(block.config.flow_id), ...args]))];
};

const saySchedule: Say = (block, { base }) => {
  const { flow_id, schedule_in, schedule_at } = block.config;
  const [when] = [['in', schedule_in] as const, ['at', schedule_at] as const].filter(([, source]) => (source ?? null) !== null);
  const value = when && expression(when[1]);
  if (when && value === undefined) return undefined;
  const item = when
    ? call('schedule_stack', [template(flow_id), `${when[0]}: ${value}`])
    : call('cancel_scheduled_stacks', [template(flow_id)]);
  return [assigned(block, `${base}_schedule_stack`, item)];
};

const sayContent: Say = (block, context) => {
  const { uuid, wait_for_input } = objectAt(block.config, 'content');
  const content = firstText(context, uuid);
  if (content === undefined) return undefined;
  const waits = firstText(context, wait_for_input) === 'true' ? ['true'] : [];
  return [assigned(block, context.base, call('send_content', [textLiteral(content), ...waits]))];
};

const sayLabel: Say = (block, context) => {
  const [first, ...more] = listAt(block.config, 'labels');
  const text = firstText(context, first);
  const value = text === undefined || more.length > 0 ? undefined : expression(text);
  return value === undefined ? undefined : [assigned(block, `${context.base}_set_message_property`, call('add_label', [value]))];
};

const sayLog: Say = (block, context) => {
  const text = firstText(context, block.config.message) ?? block.config.message;
  return typeof text === 'string' ? [assigned(block, `${context.base}_log`, call('log', [textLiteral(text)]))] : undefined;
};

const sayApp: Say = (block, { base }) => {
  const { config } = block;
  const [, app, name] = /^([^/]+)\/(.*)$/s.exec(textAt(config, 'skill')) ?? [];
  if (app === undefined || name === undefined) return undefined;
  const list = Array.isArray(config.arguments) ? listAt(config, 'arguments').map((value) => expression(value)) : undefined;
  const args = list
    ? list.every((value) => value !== undefined)
      ? [`[${list.join(', ')}]`]
      : undefined
    : named(objectAt(config, 'arguments'));
  return args && [assigned(block, `${base}_app`, call('app', [textLiteral(app), textLiteral(name), ...args]))];
};

/** Writes a template message. Components that the language lacks are omitted; the comparison names them. */
const sayTemplate: Say = (block, context) => {
  const wanted = objectAt(block.config, 'template');
  const components = listAt(wanted, 'components').filter(isObject);
  const parametersOf = (type: string): JsonObject[] =>
    components.filter((component) => component.type === type).flatMap((component) => listAt(component, 'parameters').filter(isObject));
  const [name, language] = [expression(wanted.name), expression(objectAt(wanted, 'language').code)];
  const texts = parametersOf('body').map(({ text }) => expression(text));
  const [medium] = parametersOf('header');
  const kind = medium === undefined ? '' : textAt(medium, 'type');
  const link = medium === undefined ? undefined : expression(objectAt(medium, kind).link);
  if (name === undefined || language === undefined || texts.some((text) => text === undefined)) return undefined;
  const buttons = buttonsOf(block, context, components);
  const args = [
    name,
    language,
    ...(texts.length > 0 ? [`[${texts.join(', ')}]`] : []),
    ...(link === undefined ? [] : [`${kind}: ${link}`]),
    ...(buttons === undefined ? [] : [`buttons: [${buttons.join(', ')}]`]),
  ];
  return [assigned(block, `${context.base}_whatsapp_template_message`, call('send_message_template', args))];
};

/** Cards of the buttons, or their payloads as labels when the buttons have no exits. */
function buttonsOf({ exits }: Block, { cards }: Context, components: readonly JsonObject[]): string[] | undefined {
  const count = components.filter(({ type }) => type === 'button').length;
  if (count === 0) return undefined;
  const tested = exits.filter(({ isDefault }) => !isDefault);
  const payloads = components
    .filter(({ type }) => type === 'button')
    .map((component) => textAt(listAt(component, 'parameters').find(isObject) ?? {}, 'payload'));
  if (tested.length !== count) return payloads.reverse().map(textLiteral);
  const targets = tested.map((exit) => cards.targetOf(exit) ?? (exit.to === null ? cards.end() : ''));
  const isNamed = targets.every(isName) && distinct(targets.map(baseOf)).length === count;
  return isNamed ? targets : payloads.reverse().map(textLiteral);
}

/** Writers by block type. A notebook cannot express other types. */
export const sayers: Readonly<Record<string, Say>> = {
  'MobilePrimitives.Message': sayMessage,
  'MobilePrimitives.OpenResponse': sayQuestion,
  'MobilePrimitives.SelectOneResponse': sayChoice,
  'Io.Turn.DynamicSelectOneResponse': sayDynamic,
  'Core.Case': sayCase,
  'Core.Log': sayLog,
  'Core.Output': sayResult,
  'Core.RunFlow': sayRun,
  'Core.SetContactProperty': sayContact,
  'Io.Turn.Webhook': sayWebhook,
  'Io.Turn.ScheduleFlow': saySchedule,
  'Io.Turn.SendContentMessage': sayContent,
  'Io.Turn.SetMessageProperty': sayLabel,
  'Io.Turn.WhatsAppTemplateMessage': sayTemplate,
  'Svc.Skill': sayApp,
};
