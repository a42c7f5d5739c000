import { type Json, type JsonObject, NETWORK_LIMITS } from '#core/basics';
import { asText, isObject, textAt } from '../compile.js';
import type { BlockType, Outcome, Run } from './block-type.js';
import { choiceValue, indexOfChoice, type OfferedChoice, withIds } from './choices.js';
import { checkFrame, uuidsIn } from './config.js';
import { offer } from './offering.js';
import { FRAME, LIST } from './settings.js';

/**
 * Offers choices computed by an expression, and waits until the contact chooses one. The choices are stored when they are offered, so that
 * later changes of the data do not affect the answer.
 */
export const dynamicSelectOne: BlockType = {
  settings: {
    ...FRAME,
    ...LIST,
    prompt: 'any',
    choice_expression: 'any',
    choice_exit: 'any',
    destination_block: 'any',
    numeric_choice: 'any',
    // Notebooks export an empty list here.
    choices: 'ignored',
  },

  enter(run) {
    const { prompt, choice_expression } = run.config;
    const choices = choicesFrom(run, typeof choice_expression === 'string' ? run.value(choice_expression) : null);
    if (choices.length === 0) return { kind: 'continue', value: null, details: { error: 'no_choices' } };
    run.setMemory(choices as unknown as Json);
    run.send(offer(run, run.resource(prompt), withIds(choices)), { waiting: true, options: choices.map(({ label }) => label) });
    return { kind: 'wait' };
  },

  answer(run, input) {
    const choices = withIds(Array.isArray(run.memory) ? (run.memory as unknown as readonly OfferedChoice[]) : []);
    const index = indexOfChoice(choices, input, run);
    const choice = choices[index];
    return choice ? leaveWith(run, choiceValue(choice, index)) : { kind: 'invalid', reason: 'no_match' };
  },

  resources: ({ prompt, header, footer, list }) => uuidsIn(prompt, header, footer, isObject(list) ? list.button_label : undefined),

  picks: ({ choice_exit }) => ['chosen', ...uuidsIn(choice_exit)],

  check(block, report) {
    const { config, exits } = block;
    report.resource('config.prompt', config.prompt);
    if (typeof config.choice_expression === 'string') report.expression('config.choice_expression', config.choice_expression);
    else report.error('config.choice_expression', 'this must be an expression for the list of choices');
    const { choice_exit, destination_block } = config;
    if (typeof choice_exit === 'string' && !exits.some(({ name, uuid }) => name === choice_exit || uuid === choice_exit)) {
      report.error('config.choice_exit', `this block has no exit '${choice_exit.slice(0, 60)}'`);
    }
    if (typeof destination_block === 'string' && destination_block !== '' && !report.flow.blocks.has(destination_block)) {
      report.error('config.destination_block', `block ${destination_block.slice(0, 60)} is not in this flow`);
    }
    checkFrame(block, report);
  },
};

/** The choices in a list of texts, pairs or objects. Drops choices beyond the limit of the network, with a warning. */
function choicesFrom(run: Run, list: Json): readonly OfferedChoice[] {
  const found = (Array.isArray(list) ? (list as readonly Json[]) : []).flatMap((item) => choiceOf(item));
  const choices = [...new Map(found.map((choice) => [JSON.stringify([choice.name, choice.label]), choice])).values()];
  if (choices.length > NETWORK_LIMITS.rows) {
    const reason = `the expression gives ${choices.length} choices; only the first ${NETWORK_LIMITS.rows} are shown`;
    run.emit({ type: 'warning', expression: textAt(run.config, 'choice_expression').slice(0, 200), reason });
  }
  return choices.slice(0, NETWORK_LIMITS.rows);
}

function choiceOf(item: Json): readonly OfferedChoice[] {
  const [name, label, description] = Array.isArray(item)
    ? (item as readonly Json[])
    : isObject(item) && !Object.hasOwn(item, '__value__')
      ? [item.name ?? item.label ?? null, item.label ?? item.name ?? null, item.description ?? null]
      : [item, item];
  const text = asText(name);
  return text === '' ? [] : [{ name: text, label: asText(label) || text, description: asText(description), tests: [] }];
}

/** Leaves after a choice: to the destination block, else by the exit that `choice_exit` names or `chosen`, else by the tests. */
function leaveWith(run: Run, value: JsonObject): Outcome {
  const { choice_exit = 'chosen', choice_expression, destination_block } = run.config;
  const isTyped = typeof choice_expression === 'string' && run.isTyped(choice_expression);
  if (typeof destination_block === 'string' && destination_block !== '')
    return { kind: 'jump', value, exit: 'chosen', to: destination_block, isTyped };
  const exit = run.block.exits.find(({ uuid, name, isDefault }) => !isDefault && (uuid === choice_exit || name === choice_exit));
  return { kind: 'continue', value, isTyped, ...(exit && { exit: exit.uuid }) };
}
