import { expressionFaults } from '../expression/check.js';
import type { Findings } from './findings.js';
import { NOTEBOOK_LIMITS } from './limits.js';
import type { Argument, CallItem, Card, Program, Target } from './syntax.js';

/** The definitions of each card name, in source order. */
export type Cards = ReadonlyMap<string, readonly Card[]>;

export function cardsByName({ cards }: Program): Cards {
  const byName = new Map<string, Card[]>();
  for (const card of cards) {
    const known = byName.get(card.name);
    if (known) known.push(card);
    else byName.set(card.name, [card]);
  }
  return byName;
}

/** Whether any clause of the card has a `when`. */
export const isGuarded = (definitions: readonly Card[]): boolean => definitions.some(({ head }) => head.when);

/** Whether a definition is compiled: every guarded one, and the first unguarded one. A run can never reach the others. */
export const isClause = (definitions: readonly Card[], card: Card): boolean =>
  card.head.when !== undefined || definitions.find(({ head }) => !head.when) === card;

/** Checks that need all cards: targets exist, clauses and routes are reachable. */
export function checkCards(program: Program, cards: Cards, findings: Findings): void {
  if (cards.size > NOTEBOOK_LIMITS.cards) {
    const { start, end } = program.cards[NOTEBOOK_LIMITS.cards]!.nameAt;
    findings.error('too_large', start, end, `a notebook has at most ${NOTEBOOK_LIMITS.cards} cards`);
  }
  for (const card of program.cards) {
    for (const { name, start, end } of targetsOf(card)) {
      if (!cards.has(name)) {
        const hint = { expected: 'an existing card', nearest: findings.nearest(name, cards.keys()) };
        findings.error('unknown_card', start, end, `there is no card ${name}`, hint);
      }
    }
    checkItems(card, findings);
  }
  for (const definitions of cards.values()) checkClauses(definitions, findings);
  // Lint reads containers, and trigger conditions are not part of them.
  for (const { when } of program.triggers) {
    const faults = when ? expressionFaults(when.text).filter(({ code }) => code === 'invalid_expression') : [];
    for (const { message } of faults) findings.error('unexpected', when!.start, when!.end, message);
  }
}

/** Every reference from a card to a card. */
function targetsOf({ head, items }: Card): Target[] {
  return [
    ...(head.next ? [head.next] : []),
    ...items.flatMap((item) => (item.kind === 'then' ? [item.target] : item.kind === 'call' ? targetsOfCall(item) : [])),
  ];
}

function targetsOfCall({ choices, args }: CallItem): Target[] {
  const listed = [...args.values()].flatMap((argument: Argument) => (argument.kind === 'cards' ? argument.targets : []));
  switch (choices?.kind) {
    case 'named':
      return [...listed, ...choices.options.map(({ target }) => target)];
    case 'cards':
      return [...listed, ...choices.targets];
    case 'dynamic':
      return [...listed, choices.target];
    default:
      return listed;
  }
}

function checkItems({ items }: Card, findings: Findings): void {
  const always = items.findIndex((item) => item.kind === 'then' && !item.when);
  const behind = always < 0 ? undefined : items[always + 1];
  if (behind) findings.warning('never_reached', behind.start, behind.end, 'a run never comes here: the then before it has no condition');
  for (const item of items) {
    if (item.kind === 'value') findings.warning('unused_value', item.start, item.end, 'nothing is done with this value');
  }
}

function checkClauses(definitions: readonly Card[], findings: Findings): void {
  const [first] = definitions;
  const open = definitions.filter(({ head }) => !head.when);
  const { name } = first!;
  if (!isGuarded(definitions)) {
    for (const { nameAt } of definitions.slice(1))
      findings.warning('defined_twice', nameAt.start, nameAt.end, `${name} is there twice without a condition: the first is used`);
    return;
  }
  for (const { nameAt } of open.slice(1))
    findings.warning('never_chosen', nameAt.start, nameAt.end, `another ${name} without a condition comes before this one`);
  if (open.length === 0) {
    const route = first!.head.next ? `continues with ${first!.head.next.name}` : 'ends';
    const message = `no ${name} is without when: a run for which no condition is true ${route}`;
    findings.warning('no_default_clause', first!.nameAt.start, first!.nameAt.end, message);
  }
}
