import type { Json } from '#core/basics';
import { marksOf, templateAt, valueAt } from './call-values.js';
import { type Clause, type Mark, templateOf } from './draft.js';
import type { Expression } from './expression.js';
import type { Argument, CallItem } from './syntax.js';

const pairsOf = (argument: Argument | undefined): Json =>
  argument?.kind === 'pairs' ? argument.pairs.map(([key, value]) => [templateOf(key), templateOf(value)]) : [];

const numberOf = (value: Expression | undefined, usual: number): number => (value ? Number(value.text) : usual);

/** Compiles an HTTP request. */
export const webhook =
  (method: string) =>
  (clause: Clause, call: CallItem): void => {
    const [query, headers] = [call.args.get('query'), call.args.get('headers')];
    clause.add({
      name: call.name ?? clause.base,
      type: 'Io.Turn.Webhook',
      config: {
        method,
        url: templateAt(call, 'url'),
        query: pairsOf(query),
        headers: pairsOf(headers),
        body: templateAt(call, 'body'),
        timeout: numberOf(valueAt(call, 'timeout'), 5000),
        cache_ttl: numberOf(valueAt(call, 'cache_ttl'), 60_000),
        mode: valueAt(call, 'mode')?.content ?? 'sync',
      },
      itemType: 'webhook',
      marks: () => [
        ...marksOf(call, {
          url: 'config/url',
          body: 'config/body',
          timeout: 'config/timeout',
          cache_ttl: 'config/cache_ttl',
          mode: 'config/mode',
        }),
        ...pairMarks('query', query),
        ...pairMarks('headers', headers),
      ],
    });
  };

const pairMarks = (key: string, argument: Argument | undefined): Mark[] =>
  argument?.kind === 'pairs'
    ? argument.pairs.flatMap(([name, value], i) => [
        { path: `config/${key}/${i}`, start: name.start, end: value.end },
        // Lint names a pair by its key.
        { path: `config/${key}/${templateOf(name)}`, start: value.start, end: value.end },
      ])
    : [];

export function writeRun(clause: Clause, call: CallItem): void {
  const args = call.rest.map(({ name, value }) => [name, value.text] as const);
  clause.add({
    name: call.name ?? `${clause.base}_run_stack`,
    type: 'Core.RunFlow',
    config: { flow_id: templateAt(call, 'journey id'), ...(args.length > 0 && { args: Object.fromEntries(args) }) },
    itemType: 'run_stack',
    marks: () => [
      ...marksOf(call, { 'journey id': 'config/flow_id' }),
      ...call.rest.map(({ name, value }) => ({ path: `config/args/${name}`, start: value.start, end: value.end })),
    ],
  });
}

export function writeSchedule(clause: Clause, call: CallItem): void {
  const [after, at] = [valueAt(call, 'in'), valueAt(call, 'at')];
  clause.add({
    name: call.name ?? `${clause.base}_schedule_stack`,
    type: 'Io.Turn.ScheduleFlow',
    config: {
      flow_id: templateAt(call, 'journey id'),
      ...(after && { schedule_in: after.text }),
      ...(at && { schedule_at: at.text }),
    },
    itemType: 'schedule_stack',
    marks: () => marksOf(call, { 'journey id': 'config/flow_id', in: 'config/schedule_in', at: 'config/schedule_at' }),
  });
}

export function writeContent(clause: Clause, call: CallItem): void {
  const draft = clause.add({ name: call.name ?? clause.base, type: 'Io.Turn.SendContentMessage', config: {}, itemType: 'send_content' });
  const waits = valueAt(call, 'waits')?.text ?? 'false';
  const uuid = clause.text(draft, templateAt(call, 'content id') ?? '', valueAt(call, 'content id') ?? call);
  draft.config.content = { uuid, wait_for_input: clause.text(draft, waits, valueAt(call, 'waits') ?? call) };
}

export function writeLabel(clause: Clause, call: CallItem): void {
  const draft = clause.add({
    name: call.name ?? `${clause.base}_set_message_property`,
    type: 'Io.Turn.SetMessageProperty',
    config: {},
    itemType: 'set_message_property',
  });
  const label = valueAt(call, 'label')!;
  draft.config.message = clause.text(draft, 'event.message', call);
  draft.config.labels = [clause.text(draft, label.text, label)];
}

/** Positional arguments compile to a list, keyword arguments to an object. */
export function writeApp(clause: Clause, call: CallItem): void {
  const given = call.args.get('arguments');
  const [app, name] = ['name', 'function'].map((parameter) => valueAt(call, parameter)!.content!);
  clause.add({
    name: call.name ?? `${clause.base}_app`,
    type: 'Svc.Skill',
    config: {
      skill: `${app}/${name}`,
      arguments:
        given?.kind === 'list'
          ? given.items.map(({ text }) => text)
          : Object.fromEntries(call.rest.map((option) => [option.name, option.value.text])),
    },
    itemType: 'app',
    marks: () => [
      ...marksOf(call, { name: 'config/skill' }),
      ...(given?.kind === 'list' ? given.items : []).map(({ start, end }, i) => ({ path: `config/arguments/${i}`, start, end })),
      ...call.rest.map((option) => ({ path: `config/arguments/${option.name}`, start: option.value.start, end: option.value.end })),
    ],
  });
}
