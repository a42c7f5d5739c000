import { type Input, type Json, type JsonObject, NETWORK_LIMITS } from '#core/basics';
import { plainDigits } from '../answers/digits.js';
import { folded, letterKey, readYesNo, wordKey } from '../answers/words.js';
import { type Block, isObject, listAt, objectAt, textAt } from '../compile.js';
import type { Report, Run } from './block-type.js';

/** A choice in the config, in the same form for every release candidate. */
export interface Choice {
  readonly name: string;
  readonly prompt: Json | undefined;
  readonly description: Json | undefined;
  /** Expressions that are true for an answer that means this choice. */
  readonly tests: readonly string[];
}

/** A choice with its texts in the contact's language. */
export interface OfferedChoice {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly tests: readonly string[];
}

export interface LabelledChoice extends OfferedChoice {
  /** The id of its button or row, which a tap sends back: the name, with a number appended where an earlier choice has the same name. */
  readonly id: string;
}

/** Cached because every turn needs the choices twice, and a compiled definition never changes. */
const choicesByConfig = new WeakMap<JsonObject, readonly Choice[]>();

/** The choices of a config. Release candidate 2 has an object from name to label, 3 one test per choice, 4 several. */
export function choicesOf(config: JsonObject): readonly Choice[] {
  const choices = choicesByConfig.get(config) ?? choicesIn(config);
  choicesByConfig.set(config, choices);
  return choices;
}

function choicesIn(config: JsonObject): readonly Choice[] {
  if (isObject(config.choices)) {
    const named = Object.entries(config.choices).filter(([name]) => name !== '');
    return named.map(([name, prompt]) => ({ name, prompt, description: undefined, tests: [] }));
  }
  return listAt(config, 'choices').flatMap((choice) => {
    if (!isObject(choice) || typeof choice.name !== 'string' || choice.name === '') return [];
    const tests = [choice.test, ...listAt(choice, 'text_tests').map((test) => (isObject(test) ? test.test_expression : undefined))];
    return {
      name: choice.name,
      prompt: choice.prompt,
      description: choice.description,
      tests: tests.filter((test): test is string => typeof test === 'string' && test !== ''),
    };
  });
}

/** Choices with ids and texts; `text` renders a resource. */
export const labelled = (choices: readonly Choice[], text: (resource: Json | undefined) => string): readonly LabelledChoice[] =>
  withIds(
    choices.map(({ name, prompt, description, tests }) => ({ name, label: text(prompt) || name, description: text(description), tests })),
  );

/** Gives each choice a unique id: the network rejects a message in which two buttons or rows share one. Equal choices get equal ids. */
export function withIds(choices: readonly OfferedChoice[]): readonly LabelledChoice[] {
  const taken = new Set(choices.map(({ name }) => name));
  const named = new Set<string>();
  return choices.map((choice) => {
    let id = choice.name;
    for (let count = 2; named.has(choice.name) && taken.has(id); count++) id = `${choice.name}_${count}`;
    named.add(choice.name);
    taken.add(id);
    return { ...choice, id };
  });
}

/** Warns about choices that share a name: exits can distinguish them only by `label` or `index`. */
export function checkNames(choices: readonly Choice[], report: Report): void {
  const named = new Set<string>();
  for (const [i, { name }] of choices.entries()) {
    if (named.has(name))
      report.warning(`config.choices[${i}].name`, `an earlier choice has the name '${name.slice(0, 60)}' too`, 'duplicate_choice');
    named.add(name);
  }
}

/** Warns about labels that two choices share in a language: a typed answer always selects the first. Taps are not affected. */
export function checkLabels(choices: readonly Choice[], report: Report): void {
  const taken = new Map<string, Choice>();
  for (const [i, choice] of choices.entries()) {
    const values = typeof choice.prompt === 'string' ? report.flow.resources.get(choice.prompt)?.values : undefined;
    for (const { language_id, content_type, value } of values ?? []) {
      if (content_type !== 'TEXT' || value.includes('@')) continue;
      const label = `${language_id} ${folded(value)}`;
      const first = taken.get(label) ?? choice;
      taken.set(label, first);
      if (first === choice) continue;
      const shown = `'${value.slice(0, 60)}' is also the label of '${first.name}' in language ${language_id}`;
      report.warning(`config.choices[${i}].prompt`, `${shown}; a typed answer selects that choice`, 'duplicate_label');
    }
  }
}

export const choiceValue = ({ name, label }: LabelledChoice, index: number): JsonObject => ({ __value__: name, name, index, label });

/** A label cut to the number of characters that the network shows. */
export const shortened = (label: string, limit: number): string => {
  if (label.length <= limit) return label;
  const characters = Array.from(label);
  return characters.length <= limit ? label : `${characters.slice(0, limit - 1).join('')}…`;
};

/** Why a label is too long, and how phones show it; undefined for a label that fits. The same for written and for computed labels. */
export function labelFault(label: string, limit: number): string | undefined {
  const shown = shortened(label, limit);
  if (shown === label) return undefined;
  return `the label '${label.slice(0, 60)}' has ${Array.from(label).length} characters; phones show '${shown}'`;
}

/** A label as phones show it, with a warning in the turn if that is not all of it. */
export function shownLabel(run: Run, label: string, limit: number): string {
  const reason = labelFault(label, limit);
  if (reason !== undefined) run.emit({ type: 'warning', expression: label.slice(0, 200), reason });
  return shortened(label, limit);
}

/** The ways in which an answer can match a choice, strictest first. Each matcher is tried on all choices before the next matcher. */
const matchers: readonly ((choice: LabelledChoice, input: Input, run: Run) => boolean)[] = [
  ({ id }, { reply }) => reply?.id === id,
  ({ label }, { text }) => text === label,
  ({ label }, { text }) =>
    isSame(folded, text, label, shortened(label, NETWORK_LIMITS.buttonTitle), shortened(label, NETWORK_LIMITS.rowTitle)),
  ({ name }, { text }) => isSame(folded, text, name),
  ({ tests }, { text }, run) => tests.some((test) => run.holds(test, { block: { response: text } })),
  ({ label, name }, { text }) => isSame(wordKey, text, label, name),
];

/** Looser ways, which count only if they match one label: without emojis and accents; yes and no in other words. */
const looseMatchers: readonly ((label: string, text: string) => boolean)[] = [
  (label, text) => isSame(letterKey, text, label),
  (label, text) => readYesNo(text) !== undefined && readYesNo(text) === readYesNo(label),
];

/** The index of the only label that a person may mean with a text; -1 for none, or several. */
function looseIndex(labels: readonly string[], text: string): number {
  for (const matches of looseMatchers) {
    const [index = -1, ...others] = labels.flatMap((label, i) => (matches(label, text) ? i : []));
    if (index >= 0 && others.length === 0) return index;
  }
  return -1;
}

/** The index of the label that a text is as people type it; -1 for none. */
export function indexOfLabel(labels: readonly string[], text: string): number {
  const index = [folded, wordKey].map((keyOf) => labels.findIndex((label) => isSame(keyOf, text, label))).find((found) => found >= 0);
  return index ?? looseIndex(labels, text);
}

function isSame(keyOf: (text: string) => string, given: string, ...shown: readonly string[]): boolean {
  const key = keyOf(given);
  return key !== '' && shown.some((text) => keyOf(text) === key);
}

/** The index of the choice that an answer matches; -1 for none. */
export function indexOfChoice(choices: readonly LabelledChoice[], input: Input, run: Run): number {
  for (const matches of matchers) {
    const index = choices.findIndex((choice) => matches(choice, input, run));
    if (index >= 0) return index;
  }
  const number = takesNumbers(run.block) ? optionNumber(input.text) : undefined;
  if (number !== undefined && number <= choices.length) return number - 1;
  return looseIndex(
    choices.map(({ label }) => label),
    input.text,
  );
}

/** The number of an option as people type it, such as `2`, `2.`, `(2)`, `#2` or `2️⃣`. */
export function optionNumber(text: string): number | undefined {
  const [, digits] = /^[(#]?(\d{1,3})[.)]{0,2}$/.exec(plainDigits(text).trim()) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The contact can choose by number if the author says so, and in a notebook unless the author says otherwise. */
function takesNumbers({ config, hints }: Block): boolean {
  if (typeof config.numeric_choice === 'boolean') return config.numeric_choice;
  return NOTEBOOK_CHOICES.has(textAt(objectAt(hints.notebook, 'card_item'), 'type'));
}

const NOTEBOOK_CHOICES: ReadonlySet<string> = new Set(['button_block', 'list_block', 'dynamic_button', 'dynamic_list']);
