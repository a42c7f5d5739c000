import type { Turn } from '../../messaging/turn.js';
import { type Block, isObject, listAt, objectAt } from '../compile.js';
import { CHOICE_LIMITS } from '../limits.js';
import { headerOf, messageTurns, splitText, textTurns } from '../message-turns.js';
import type { Rendered } from '../resources.js';
import type { JsonObject } from '../session.js';
import type { BlockType, Report, Run } from './block-type.js';
import { choicesOf, chosen, type LabelledChoice, labelled, shortened } from './choices.js';
import { textOf, uuidsIn } from './config.js';

const LIST_BUTTON = 'Options';

/** Offers choices, as buttons or as a list, and waits until one is taken. */
export const selectOneResponse: BlockType = {
  enter(run) {
    const prompt = run.resource(promptOf(run.config));
    const choices = labelled(choicesOf(run.config), (uuid) => textOf(run.resource(uuid)));
    const options = choices.map(({ label }) => label);
    run.send(offer(run, prompt, choices), { waiting: true, options });
    return { kind: 'wait' };
  },

  answer(run, input) {
    const choices = labelled(choicesOf(run.config), (uuid) => run.label(uuid));
    const index = chosen(choices, input, run);
    const choice = choices[index];
    if (!choice) return { kind: 'invalid', reason: 'no_match' };
    const { name, label } = choice;
    return { kind: 'continue', value: { __value__: name, name, index, label } };
  },

  resources(config) {
    const choices = choicesOf(config).flatMap(({ prompt, description }) => [prompt, description]);
    return uuidsIn(promptOf(config), ...choices, config.header, config.footer, objectAt(config, 'list').button_label);
  },

  check,
};

const promptOf = (config: JsonObject) => config.prompt ?? config.question_prompt;

/** Buttons or a list: as the author says, else as the choices allow. */
function isList(block: Block, choices: readonly { readonly label: string }[]): boolean {
  const said = block.hints.own.presentation;
  const drawn = objectAt(block.hints.notebook, 'card_item').type;
  if (said === 'list' || drawn === 'list_block') return true;
  if (said === 'buttons' || drawn === 'button_block') return choices.length > CHOICE_LIMITS.buttons;
  return choices.length > CHOICE_LIMITS.buttons || choices.some(({ label }) => Array.from(label).length > CHOICE_LIMITS.button);
}

function offer(run: Run, prompt: readonly Rendered[], choices: readonly LabelledChoice[]): readonly Turn[] {
  const texts = prompt.filter(({ kind }) => kind === 'text');
  const pieces = splitText(texts[0]?.text ?? '');
  const [before, text] = [pieces.slice(0, -1), pieces.at(-1) ?? ''];
  if (choices.length === 0) return messageTurns(prompt);
  const media = prompt.filter(({ kind }) => kind !== 'text');
  const header = headerOf(textOf(run.resource(run.config.header)), media[0]);
  const footer = textOf(run.resource(run.config.footer));
  const about = { ...(header && { header }), body: { text }, ...(footer !== '' && { footer: { text: footer } }) };
  const question: Turn = isList(run.block, choices)
    ? listTurn({ type: 'list', ...about, action: { button: listButton(run, texts[1]), sections: sections(run, choices) } })
    : buttonsTurn({ type: 'button', ...about, action: { buttons: choices.map(button) } });
  const apart = header && header.type !== 'text' ? media.slice(1) : media;
  return [...(apart.length > 0 ? messageTurns(apart) : []), ...before.flatMap(textTurns), question];
}

type Interactive<K extends string> = Extract<Extract<Turn, { type: 'interactive' }>['interactive'], { type: K }>;

const buttonsTurn = (interactive: Interactive<'button'>): Turn => ({ type: 'interactive', interactive });
const listTurn = (interactive: Interactive<'list'>): Turn => ({ type: 'interactive', interactive });

const button = ({ name, label }: LabelledChoice) => ({
  type: 'reply' as const,
  reply: { id: name, title: shortened(label, CHOICE_LIMITS.button) },
});

/** A notebook keeps the label of the list as the second text of its prompt. */
function listButton(run: Run, second: Rendered | undefined): string {
  const label = textOf(run.resource(objectAt(run.config, 'list').button_label)) || second?.text || LIST_BUTTON;
  return shortened(label, CHOICE_LIMITS.listButton);
}

/** The sections of the config, then one for the choices that are in none. */
function sections(run: Run, choices: readonly LabelledChoice[]) {
  const rest = new Map(choices.map((choice) => [choice.name, choice]));
  const named = listAt(objectAt(run.config, 'list'), 'sections').flatMap((section) => {
    if (!isObject(section)) return [];
    const rows = listAt(section, 'choice_names').flatMap((name) => (typeof name === 'string' ? (taken(rest, name) ?? []) : []));
    const title = typeof section.title === 'string' ? run.text(section.title) : '';
    return rows.length === 0 ? [] : { ...(title !== '' && { title }), rows: rows.map((choice) => row(run, choice)) };
  });
  return rest.size === 0 ? named : [...named, { rows: [...rest.values()].map((choice) => row(run, choice)) }];
}

function taken(rest: Map<string, LabelledChoice>, name: string): LabelledChoice | undefined {
  const choice = rest.get(name);
  rest.delete(name);
  return choice;
}

function row(run: Run, { name, label, description }: LabelledChoice) {
  const more = shortened(textOf(run.resource(description)), CHOICE_LIMITS.description);
  return { id: name, title: shortened(label, CHOICE_LIMITS.row), ...(more !== '' && { description: more }) };
}

function check(block: Block, report: Report): void {
  const { config } = block;
  const choices = choicesOf(config);
  report.resource('config.prompt', promptOf(config));
  if (choices.length === 0) report.error('config.choices', 'there is nothing to choose', 'nothing_to_choose');
  if (choices.length > CHOICE_LIMITS.rows)
    report.error('config.choices', `a list shows at most ${CHOICE_LIMITS.rows} choices, this has ${choices.length}`, 'too_many_choices');
  if (new Set(choices.map(({ name }) => name)).size < choices.length)
    report.error('config.choices', 'two choices have the same name', 'duplicate_choice');
  const asButtons = block.hints.own.presentation === 'buttons';
  if (asButtons && choices.length > CHOICE_LIMITS.buttons) {
    report.error('config.choices', `there can be at most ${CHOICE_LIMITS.buttons} buttons, this has ${choices.length}`, 'too_many_choices');
  }
  const longest = asButtons ? CHOICE_LIMITS.button : CHOICE_LIMITS.row;
  for (const [i, { prompt, description, tests }] of choices.entries()) {
    report.label(`config.choices[${i}].prompt`, prompt, longest);
    if (description) report.label(`config.choices[${i}].description`, description, CHOICE_LIMITS.description);
    for (const test of tests) report.expression(`config.choices[${i}].test`, test);
  }
  const { button_label } = objectAt(config, 'list');
  if (button_label) report.label('config.list.button_label', button_label, CHOICE_LIMITS.listButton);
  if (config.header) report.resource('config.header', config.header);
  if (config.footer) report.resource('config.footer', config.footer);
}
