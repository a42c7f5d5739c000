import { NETWORK_LIMITS, type Turn } from '#core/basics';
import { type Block, isObject, listAt, objectAt } from '../compile.js';
import { headerOf, messageTurns, splitText, textTurns } from '../message-turns.js';
import type { Rendered } from '../resources.js';
import type { Run } from './block-type.js';
import { type LabelledChoice, shortened, shownLabel } from './choices.js';
import { renderedText } from './config.js';

const LIST_BUTTON = 'Options';

/** How the author wants choices presented, if configured. */
export function presentationOf({ config, hints }: Block): 'buttons' | 'list' | undefined {
  const presentation = config.presentation ?? hints.own.presentation;
  if (presentation === 'buttons' || presentation === 'list') return presentation;
  const cardType = objectAt(hints.notebook, 'card_item').type;
  if (cardType === 'list_block' || cardType === 'dynamic_list') return 'list';
  return cardType === 'button_block' || cardType === 'dynamic_button' ? 'buttons' : undefined;
}

/** Whether choices are shown as a list: if the author configured a list, or if the choices do not fit into buttons. */
function isList(block: Block, choices: readonly { readonly label: string }[]): boolean {
  const presentation = presentationOf(block);
  if (presentation === 'list') return true;
  if (presentation === 'buttons') return choices.length > NETWORK_LIMITS.buttons;
  return choices.length > NETWORK_LIMITS.buttons || choices.some(({ label }) => shortened(label, NETWORK_LIMITS.buttonTitle) !== label);
}

/** The messages that ask a question with choices: media and long text first, then the buttons or the list. */
export function offer(run: Run, prompt: readonly Rendered[], choices: readonly LabelledChoice[]): readonly Turn[] {
  if (choices.length === 0) return messageTurns(prompt);
  const texts = prompt.filter(({ kind }) => kind === 'text');
  const asList = isList(run.block, choices);
  const pieces = splitText(texts[0]?.text ?? '', asList ? NETWORK_LIMITS.listBody : NETWORK_LIMITS.body);
  const [before, text] = [pieces.slice(0, -1), pieces.at(-1) ?? ''];
  const media = prompt.filter(({ kind }) => kind !== 'text');
  const header = headerOf(renderedText(run.resource(run.config.header)), media[0]);
  const footer = renderedText(run.resource(run.config.footer));
  const parts = { ...(header && { header }), body: { text }, ...(footer !== '' && { footer: { text: footer } }) };
  const question: Turn = asList
    ? listTurn({ type: 'list', ...parts, action: { button: listButton(run, texts[1]), sections: sections(run, choices) } })
    : buttonsTurn({ type: 'button', ...parts, action: { buttons: choices.map((choice) => button(run, choice)) } });
  const apart = header && header.type !== 'text' ? media.slice(1) : media;
  return [...(apart.length > 0 ? messageTurns(apart) : []), ...before.flatMap(textTurns), question];
}

type Interactive<K extends string> = Extract<Extract<Turn, { type: 'interactive' }>['interactive'], { type: K }>;

const buttonsTurn = (interactive: Interactive<'button'>): Turn => ({ type: 'interactive', interactive });
const listTurn = (interactive: Interactive<'list'>): Turn => ({ type: 'interactive', interactive });

const button = (run: Run, { id, label }: LabelledChoice) => ({
  type: 'reply' as const,
  reply: { id, title: shownLabel(run, label, NETWORK_LIMITS.buttonTitle) },
});

/** The label of the button that opens the list. Notebooks store it as the second text of the prompt. */
function listButton(run: Run, second: Rendered | undefined): string {
  const label = renderedText(run.resource(objectAt(run.config, 'list').button_label)) || second?.text || LIST_BUTTON;
  return shownLabel(run, label, NETWORK_LIMITS.listButton);
}

/** The configured sections, followed by a section with the remaining choices. */
function sections(run: Run, choices: readonly LabelledChoice[]) {
  let rest = choices;
  const named = listAt(objectAt(run.config, 'list'), 'sections').flatMap((section) => {
    if (!isObject(section)) return [];
    const names = new Set(listAt(section, 'choice_names'));
    const rows = [...names].flatMap((name) => rest.filter((choice) => choice.name === name));
    rest = rest.filter(({ name }) => !names.has(name));
    const title = typeof section.title === 'string' ? shownLabel(run, run.text(section.title), NETWORK_LIMITS.sectionTitle) : '';
    return rows.length === 0 ? [] : { ...(title !== '' && { title }), rows: rows.map((choice) => row(run, choice)) };
  });
  return rest.length === 0 ? named : [...named, { rows: rest.map((choice) => row(run, choice)) }];
}

function row(run: Run, { id, label, description }: LabelledChoice) {
  const more = shownLabel(run, description, NETWORK_LIMITS.rowDescription);
  return { id, title: shownLabel(run, label, NETWORK_LIMITS.rowTitle), ...(more !== '' && { description: more }) };
}
