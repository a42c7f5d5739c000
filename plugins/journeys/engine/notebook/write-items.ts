import { marksOf, templateAt, valueAt } from './call-values.js';
import { writeContributed } from './contributed.js';
import { type Clause, type Mark, templateOf } from './draft.js';
import type { Expression } from './expression.js';
import type { CallItem, Item } from './syntax.js';
import { writeChoice } from './write-choices.js';
import { media, writeLog, writeMedium, writeQuestion } from './write-messages.js';
import { webhook, writeApp, writeContent, writeLabel, writeRun, writeSchedule } from './write-services.js';
import { writeTemplate } from './write-template.js';

/** Card labels by card name, for `buttons([Card])`. */
export type Labels = ReadonlyMap<string, Expression>;

type Write = (clause: Clause, call: CallItem, labels: Labels) => void;

/** Compiles the items of a clause to blocks. */
export function writeItems(clause: Clause, labels: Labels): void {
  const { items } = clause.card;
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!;
    clause.begin(i, item);
    const next = items[i + 1];
    if (item.kind === 'call' && item.word.name in media && isText(next)) {
      writeMedium(clause, item, next);
      i++;
    } else if (item.kind === 'then') i = writeRoutes(clause, i);
    else writeItem(clause, item, labels);
  }
}

const isText = (item: Item | undefined): item is CallItem => item?.kind === 'call' && item.word.name === 'text' && item.name === undefined;

function writeItem(clause: Clause, item: Exclude<Item, { kind: 'then' }>, labels: Labels): void {
  if (item.kind === 'call') {
    const { block, name } = item.word;
    if (block) writeContributed(clause, item, block);
    else writers[name]!(clause, item, labels);
    return;
  }
  const { kind, text } = item.value;
  clause.add({
    name: item.kind === 'assign' ? item.name : `${clause.base}_expression`,
    type: 'Core.Case',
    config: {},
    assigned: text,
    itemType: kind === 'path' || kind === 'other' ? 'expression' : 'literal',
    marks: () => [{ path: 'exits/0/name', start: item.value.start, end: item.value.end }],
  });
}

/** Compiles consecutive routes to one case. Returns the index of the last of them. */
function writeRoutes(clause: Clause, first: number): number {
  const { items } = clause.card;
  let last = first;
  while (items[last + 1]?.kind === 'then') last++;
  const routes = items.slice(first, last + 1) as Extract<Item, { kind: 'then' }>[];
  clause.add({
    name: `Routing for ${clause.title}`,
    type: 'Core.Case',
    config: {},
    itemType: 'then',
    exits: routes.map(({ target, when, start, end }) => ({
      name: `Exit for ${target.name}`,
      test: when?.text ?? 'true',
      to: target,
      span: { start, end },
    })),
    marks: () => routes.flatMap(({ when }, i): Mark[] => (when ? [{ path: `exits/${i}/test`, start: when.start, end: when.end }] : [])),
  });
  return last;
}

function writeContact(clause: Clause, { rest, name }: CallItem): void {
  for (const { name: key, value } of rest) {
    clause.add({
      name: name ?? `${clause.base}_contact_update_${key}`,
      type: 'Core.SetContactProperty',
      config: { set_contact_property: { property_key: key, property_value: templateOf(value) } },
      itemType: 'update_contact',
      marks: () => [{ path: 'config/set_contact_property/property_value', start: value.start, end: value.end }],
    });
  }
}

function writeResult(clause: Clause, call: CallItem): void {
  const label = templateAt(call, 'label');
  clause.add({
    name: call.name ?? valueAt(call, 'name')!.content!,
    type: 'Core.Output',
    config: { value: valueAt(call, 'value')!.text, ...(label !== null && { label }) },
    itemType: 'write_result',
    details: label === null ? {} : { label },
    marks: () => marksOf(call, { name: 'name', value: 'config/value', label: 'config/label' }),
  });
}

const message: Write = (clause, call) => writeMedium(clause, call);

/** The compiler of each item word. */
const writers: Readonly<Record<string, Write>> = {
  text: message,
  image: message,
  video: message,
  audio: message,
  document: message,
  buttons: writeChoice,
  list: writeChoice,
  ask: writeQuestion,
  update_contact: writeContact,
  write_result: writeResult,
  get: webhook('GET'),
  post: webhook('POST'),
  put: webhook('PUT'),
  patch: webhook('PATCH'),
  delete: webhook('DELETE'),
  run_stack: writeRun,
  schedule_stack: writeSchedule,
  cancel_scheduled_stacks: writeSchedule,
  send_content: writeContent,
  add_label: writeLabel,
  send_message_template: writeTemplate,
  log: writeLog,
  app: writeApp,
};
