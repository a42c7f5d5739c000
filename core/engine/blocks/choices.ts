import type { Json, JsonObject } from '../../json.js';
import type { Input } from '../../turns/input.js';
import { isObject, listAt } from '../compile.js';
import { CHOICE_LIMITS } from '../limits.js';
import type { Report, Run } from './block-type.js';

/** One thing to choose, however the release candidate writes it. */
export interface Choice {
  readonly name: string;
  readonly prompt: Json | undefined;
  readonly description: Json | undefined;
  /** Expressions that say whether an answer means it. */
  readonly tests: readonly string[];
}

/** A choice with its texts in the contact's language. */
export interface OfferedChoice {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly tests: readonly string[];
}

/** A choice as the contact sees it. */
export interface LabelledChoice extends OfferedChoice {
  /** The id of its button or row, which a tap sends back: the name, with a number appended where an earlier choice has the same name. */
  readonly id: string;
}

/** A compiled definition stays as it is, and every turn asks twice. */
const known = new WeakMap<JsonObject, readonly Choice[]>();

/** Release candidate 2 has an object from name to label, 3 one test per choice, 4 several. */
export function choicesOf(config: JsonObject): readonly Choice[] {
  const choices = known.get(config) ?? choicesIn(config);
  known.set(config, choices);
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

/** Choices with their texts, as `text` makes them of resources. */
export const labelled = (choices: readonly Choice[], text: (resource: Json | undefined) => string): readonly LabelledChoice[] =>
  withIds(
    choices.map(({ name, prompt, description, tests }) => ({ name, label: text(prompt) || name, description: text(description), tests })),
  );

/** Gives each choice an id, always the same for the same choices. The network refuses a message in which two buttons or rows share one. */
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

/** Warns of choices that share a name: exits cannot tell which of them was taken, except by its label or index. */
export function checkNames(choices: readonly Choice[], report: Report): void {
  const named = new Set<string>();
  for (const [i, { name }] of choices.entries()) {
    if (named.has(name))
      report.warning(`config.choices[${i}].name`, `'${name.slice(0, 60)}' is the name of an earlier choice too`, 'duplicate_choice');
    named.add(name);
  }
}

/** Finds labels that two choices share in a language: what is typed may mean the first, where the second was meant. A tap says which. */
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
      report.warning(`config.choices[${i}].prompt`, `${shown}: a typed answer may be taken for that`, 'duplicate_label');
    }
  }
}

/** What the block has as its value when a choice is taken. */
export const choiceValue = ({ name, label }: LabelledChoice, index: number): JsonObject => ({ __value__: name, name, index, label });

/** What a network that shows only so many characters makes of a label. */
export const shortened = (label: string, limit: number): string => {
  const characters = Array.from(label);
  return characters.length <= limit ? label : `${characters.slice(0, limit - 1).join('')}…`;
};

const folded = (text: string): string => text.trim().normalize('NFC').toLowerCase();

/** Ways in which an answer can mean a choice, surest first; all choices are tried in one way before the next way. */
const ways: readonly ((choice: LabelledChoice, input: Input, run: Run) => boolean)[] = [
  ({ id }, { reply }) => reply?.id === id,
  ({ label }, { text }) => text === label,
  ({ label }, { text }) => {
    const given = folded(text);
    return (
      given !== '' &&
      [label, shortened(label, CHOICE_LIMITS.button), shortened(label, CHOICE_LIMITS.row)].some((shown) => folded(shown) === given)
    );
  },
  ({ name }, { text }) => folded(text) === folded(name),
  ({ tests }, { text }, run) => tests.some((test) => run.holds(test, { block: { response: text } })),
];

/** The position of the choice that an answer means; -1 when it means none. */
export function chosen(choices: readonly LabelledChoice[], input: Input, run: Run): number {
  for (const means of ways) {
    const index = choices.findIndex((choice) => means(choice, input, run));
    if (index >= 0) return index;
  }
  const number = /^\s*(\d{1,2})[.)]?\s*$/.exec(input.text)?.[1];
  return run.config.numeric_choice === true && number !== undefined && Number(number) <= choices.length ? Number(number) - 1 : -1;
}
