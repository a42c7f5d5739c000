import { NETWORK_LIMITS } from '#core/basics';
import { choicesOf } from '../../blocks/choices.js';
import { presentationOf } from '../../blocks/offering.js';
import { type Block, type Exit, objectAt, textAt } from '../../compile.js';
import { baseOf, distinct, nameOfLabel, snake } from '../names.js';
import type { Cards } from './cards.js';
import { usualExit } from './cards.js';
import { sameMeaning, textLiteral } from './literals.js';
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
  type Say,
  valuesOf,
  wordFor,
} from './say-context.js';

const LIST_BUTTON = 'Options';

/** Word, leading arguments and body lines of a choice. */
function frameOf(block: Block, context: Context, isList: boolean): { word: string; lead: string[]; lines: string[] } {
  const { config } = block;
  const values = valuesOf(context, config.prompt ?? config.question_prompt);
  const texts = values.filter((value) => wordFor(value) === 'text');
  const own = firstText(context, objectAt(config, 'list').button_label);
  const button = own === undefined ? texts.slice(1).at(-1) : undefined;
  if (!isList) return { word: 'buttons', lead: [], lines: contents(context, values, config) };
  const listed = values.filter((value) => value !== button);
  return { word: 'list', lead: [textLiteral(own ?? button?.value ?? LIST_BUTTON)], lines: contents(context, listed, config) };
}

/** Writes static choices. */
export const sayChoice: Say = (block, context) => {
  const choices = choicesOf(block.config).map(({ name, prompt }) => ({ name, label: firstText(context, prompt) ?? name }));
  const isList = presentationOf(block) === 'list' || choices.length > NETWORK_LIMITS.buttons;
  const { word, lead, lines } = frameOf(block, context, isList);
  if (choices.length === 0 || !lines.some((line) => line.startsWith('text('))) return undefined;
  const exits = choices.map(({ name }) => exitFor(block, name));
  const labels = choices.map(({ label }) => label);
  const named = distinct(labels.map(nameOfLabel));
  const leadOn = exits.every((exit) => exit !== undefined && context.cards.isLeadingOn(block, exit));
  const args =
    leadOn && choices.every(({ name }, i) => name === named[i])
      ? [`[${labels.map(textLiteral).join(', ')}]`]
      : options(
          choices,
          exits.map((exit) => exit ?? usualExit(block)),
          context.cards,
        );
  return args && [assigned(block, context.base, call(word, [...lead, ...args]) + body(lines))];
};

/** The exit taken for a choice. */
function exitFor({ exits }: Block, name: string): Exit | undefined {
  const test = `block.value == ${JSON.stringify(name)}`;
  return exits.find((exit) => !exit.isDefault && exit.test !== undefined && sameMeaning(exit.test, test));
}

interface Offered {
  readonly name: string;
  readonly label: string;
}

/** `Card: "label"` pairs. The compiler names a choice after its card; for other names an empty card forwards to the target. */
function options(choices: readonly Offered[], exits: readonly (Exit | undefined)[], cards: Cards): string[] | undefined {
  const targets = exits.map((exit) => (exit && cards.targetOf(exit)) ?? (exit && exit.to !== null ? undefined : cards.end()));
  const names = distinct(targets.map((target) => baseOf(target ?? '')));
  const cardNames = targets.map((target, i) =>
    names[i] === choices[i]!.name ? target : (alias(choices[i]!.name, exits[i], cards) ?? target),
  );
  if (cardNames.some((card) => card === undefined || !isName(card))) return undefined;
  return choices.map(({ label }, i) => `${cardNames[i]}: ${textLiteral(label)}`);
}

/** A card that gives the choice its name and leads where the exit does. */
function alias(name: string, exit: Exit | undefined, cards: Cards): string | undefined {
  const pascal = name.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return [pascal, name].find((card) => isName(card) && snake(card) === name && cards.leadTo(card, exit?.to ?? null));
}

/** Writes run-time choices. */
export const sayDynamic: Say = (block, context) => {
  const { config, hints } = block;
  const value = expression(config.choice_expression);
  const target = context.cards.targetAt(textAt(config, 'destination_block'), textAt(hints.own, 'to'));
  const isList = itemType(block) === 'dynamic_list' || presentationOf(block) === 'list';
  const { word, lead, lines } = frameOf(block, context, isList);
  if (value === undefined || target === undefined || !lines.some((line) => line.startsWith('text('))) return undefined;
  return [assigned(block, context.base, call(word, [...lead, nameOf(target), value]) + body(lines))];
};

/** A reference to a card; quoted unless it is a plain name. */
export const nameOf = (card: string): string => (isName(card) ? card : textLiteral(card));
