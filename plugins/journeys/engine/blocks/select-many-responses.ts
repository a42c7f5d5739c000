import type { Json, JsonObject } from '#core/basics';
import { plainDigits } from '../answers/digits.js';
import { messageTurns } from '../message-turns.js';
import { acceptOrReject } from './asking.js';
import type { BlockType, Run } from './block-type.js';
import { checkLabels, checkNames, choicesOf, indexOfChoice, type LabelledChoice, labelled, optionNumber } from './choices.js';
import { checkFrame, numberOf, renderedText, uuidsIn } from './config.js';
import { CHOICES } from './settings.js';

/**
 * Asks for any number of choices. Networks have no buttons for that, so the message lists the choices with numbers, and the contact
 * answers with labels, names or numbers.
 */
export const selectManyResponses: BlockType = {
  settings: { ...CHOICES, minimum_choices: 'any', maximum_choices: 'any', validate: 'any', normalise: 'any' },

  enter(run) {
    const prompt = run.resource(promptOf(run.config));
    const choices = labelled(choicesOf(run.config), (uuid) => renderedText(run.resource(uuid)));
    const list = choices.map(({ label }, i) => `${i + 1}. ${label}`).join('\n');
    const parts = [...prompt, { kind: 'text' as const, text: list, mimeType: undefined }];
    const [header, footer] = [renderedText(run.resource(run.config.header)), renderedText(run.resource(run.config.footer))];
    run.send(messageTurns(parts, header, footer), { waiting: true, options: choices.map(({ label }) => label) });
    return { kind: 'wait' };
  },

  answer(run, { text, type, reply }) {
    const choices = labelled(choicesOf(run.config), (uuid) => run.label(uuid));
    const indexes = indexesOf(run, choices, reply ? [reply.id] : pieces(run, choices, text, type), type);
    if (!indexes) return { kind: 'invalid', reason: 'no_match' };
    const names = choices.flatMap(({ name }, i) => (indexes.has(i) ? name : []));
    const { minimum_choices, maximum_choices } = run.config;
    if (names.length < (numberOf(minimum_choices) ?? 0)) return { kind: 'invalid', reason: 'too_few' };
    if (names.length > (numberOf(maximum_choices) ?? Infinity)) return { kind: 'invalid', reason: 'too_many' };
    return acceptOrReject(run, text, names as Json);
  },

  resources(config) {
    const choices = choicesOf(config).flatMap(({ prompt, description }) => [prompt, description]);
    return uuidsIn(promptOf(config), ...choices, config.header, config.footer);
  },

  check(block, report) {
    const { config } = block;
    const choices = choicesOf(config);
    report.resource('config.prompt', promptOf(config));
    if (choices.length === 0) report.error('config.choices', 'the list of choices is empty');
    checkNames(choices, report);
    checkLabels(choices, report);
    for (const [i, { prompt, tests }] of choices.entries()) {
      report.resource(`config.choices[${i}].prompt`, prompt);
      for (const test of tests) report.expression(`config.choices[${i}].test`, test);
    }
    const [min, max] = [numberOf(config.minimum_choices) ?? 0, numberOf(config.maximum_choices) ?? choices.length];
    if (min > Math.min(max, choices.length))
      report.error('config.minimum_choices', `the minimum of ${min} choices is more than the block allows, so every answer is invalid`);
    checkFrame(block, report);
  },
};

const promptOf = (config: JsonObject) => config.prompt ?? config.question_prompt;

/** The indexes of the choices that the pieces of an answer match; undefined when a piece matches none. */
function indexesOf(run: Run, choices: readonly LabelledChoice[], given: readonly string[], type: string): ReadonlySet<number> | undefined {
  const indexes = given.map((text) => {
    const number = optionNumber(text);
    const index = indexOf(run, choices, text, type);
    return index < 0 && number !== undefined && number <= choices.length ? number - 1 : index;
  });
  return indexes.length === 0 || indexes.some((index) => index < 0) ? undefined : new Set(indexes);
}

const indexOf = (run: Run, choices: readonly LabelledChoice[], text: string, type: string): number =>
  indexOfChoice(choices, { text, type, reply: { id: text, title: text } }, run);

/** An answer with more pieces is invalid. */
const MAX_PIECES = 100;

/** Splits an answer at lines, commas and semicolons, but not inside a label or name; an answer of only numbers also at spaces. */
function pieces(run: Run, choices: readonly LabelledChoice[], text: string, type: string): readonly string[] {
  const digits = plainDigits(text);
  const isNumbers = /^[\s\d,;.)]+$/.test(digits);
  const cut = isNumbers ? digits.split(/([\s,;.)]+)/) : text.split(/([\n,;،、，；]+)/);
  if (cut.length > 2 * MAX_PIECES) return [text];
  const untested = choices.map((choice) => ({ ...choice, tests: [] }));
  const max = Math.max(0, ...choices.map(({ name, label }) => Math.max(name.length, label.length)));
  const found: string[] = [];
  for (let first = 0; first < cut.length; ) {
    const ends = isNumbers ? [] : cut.flatMap((_, end) => (end > first && end % 2 === 0 ? end : [])).reverse();
    const pieceUntil = (end: number): string =>
      cut
        .slice(first, end + 1)
        .join('')
        .trim();
    const end = ends.find((at) => pieceUntil(at).length <= max && indexOf(run, untested, pieceUntil(at), type) >= 0) ?? first;
    if (pieceUntil(end) !== '') found.push(pieceUntil(end));
    first = end + 2;
  }
  return found;
}
