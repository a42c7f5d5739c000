import { valueAt } from './call-values.js';
import { type Clause, type Draft, type DraftExit, TEXT, templateOf } from './draft.js';
import type { Expression } from './expression.js';
import { baseOf, distinct, nameOfLabel } from './names.js';
import type { CallItem, Choices, Span } from './syntax.js';
import { quoted, withoutTemplates } from './texts.js';
import { sayBody } from './write-messages.js';

/** One option of a choice. */
interface Choice {
  readonly name: string;
  readonly label: string;
  readonly to: DraftExit['to'];
  readonly span: Span;
  readonly labelSpan: Span;
}

type Fixed = Exclude<Choices, { readonly kind: 'dynamic' }>;

/** Compiles `buttons` and `list`. The label of a list's button is the last text of its prompt. */
export function writeChoice(clause: Clause, call: CallItem, labels: ReadonlyMap<string, Expression>): void {
  const presentation = call.word.name === 'list' ? 'list' : 'buttons';
  const button = valueAt(call, 'button');
  const choices = call.choices!;
  const name = call.name ?? clause.base;
  const more = button ? [{ type: 'TEXT' as const, mimeType: TEXT, value: button }] : [];
  if (choices.kind === 'dynamic') {
    const draft = clause.add({
      name,
      type: 'Io.Turn.DynamicSelectOneResponse',
      config: {},
      destination: choices.target,
      itemType: presentation === 'list' ? 'dynamic_list' : 'dynamic_button',
      presentation,
      marks: () => [{ path: 'config/choice_expression', start: choices.value.start, end: choices.value.end }],
    });
    sayBody(clause, draft, call, more);
    Object.assign(draft.config, { choices: [], choice_expression: choices.value.text });
    return;
  }
  const offered = offeredBy(choices, labels);
  const draft = clause.add({
    name,
    type: 'MobilePrimitives.SelectOneResponse',
    config: {},
    itemType: presentation === 'list' ? 'list_block' : 'button_block',
    presentation,
    marks: () => offered.map(({ labelSpan: { start, end } }, i) => ({ path: `config/choices/${i}`, start, end })),
    exits: offered.map((choice) => ({ name: choice.name, test: `block.value == "${choice.name}"`, to: choice.to, span: choice.span })),
  });
  sayBody(clause, draft, call, more);
  draft.config.choices = offered.map((choice) => choiceOf(clause, draft, choice));
}

function choiceOf(clause: Clause, draft: Draft, { name, label, labelSpan }: Choice) {
  const prompt = clause.text(draft, label, labelSpan);
  // Our engine matches the rendered label before it tries tests; this test is for other players.
  return { name, prompt, test: `block.response == ${quoted(withoutTemplates(label))}` };
}

/** The names of the options, which are the values of an answer. */
export const choiceNames = (choices: Fixed): readonly string[] =>
  distinct(
    choices.kind === 'named'
      ? choices.options.map(({ target }) => baseOf(target.name))
      : choices.kind === 'cards'
        ? choices.targets.map(({ name }) => baseOf(name))
        : choices.labels.map((label) => nameOfLabel(templateOf(label))),
  );

function offeredBy(choices: Fixed, labels: ReadonlyMap<string, Expression>): Choice[] {
  const names = choiceNames(choices);
  switch (choices.kind) {
    case 'named':
      return choices.options.map(({ target, label }, i) => ({
        name: names[i]!,
        label: templateOf(label),
        to: target,
        span: target,
        labelSpan: label,
      }));
    case 'cards':
      return choices.targets.map((target, i) => {
        const label = labels.get(target.name);
        return { name: names[i]!, label: label ? templateOf(label) : target.name, to: target, span: target, labelSpan: target };
      });
    case 'labels':
      return choices.labels.map((label, i) => ({ name: names[i]!, label: templateOf(label), to: 'next', span: label, labelSpan: label }));
  }
}
