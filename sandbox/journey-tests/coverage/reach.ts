import type { JourneyUnderTest } from '../run/journey-under-test.js';
import { type Block, choicesOf, type Flow } from './choices.js';

/** Of a longer way, only the end is shown: authors know how to get to the middle of their journey. */
const MAX_STEPS = 4;

type Exit = Block['exits'][number];

/** Describes how a conversation can take an exit: the answers that lead to its block, and what takes the exit there. */
export function waysTo({ flows, entry }: JourneyUnderTest['definition']): (flow: Flow, block: Block, exit: Exit) => string {
  const paths = new Map([...flows.values()].map((flow) => [flow.uuid, pathsIn(flow)]));
  return (flow, block, exit) => {
    const path = paths.get(flow.uuid)!.get(block.uuid);
    if (!path) return 'no exit leads to this block';
    const last = wayThrough(flow, block, exit);
    const steps = last === PASSES ? path : [...path, last];
    const shown = steps.length > MAX_STEPS ? ['…', ...steps.slice(-MAX_STEPS)] : steps;
    return `${flow === entry ? '' : `in flow '${flow.name}': `}${shown.join(', then ') || 'start the journey'}`;
  };
}

/** The answers that lead from the first block to each block, by the fewest exits. */
function pathsIn(flow: Flow): ReadonlyMap<string, readonly string[]> {
  const paths = new Map<string, readonly string[]>([[flow.first, []]]);
  const open = [flow.first];
  for (let uuid = open.shift(); uuid !== undefined; uuid = open.shift()) {
    const block = flow.blocks.get(uuid);
    for (const exit of block?.exits ?? []) {
      if (exit.to === null || paths.has(exit.to)) continue;
      const way = wayThrough(flow, block!, exit);
      paths.set(exit.to, way === PASSES ? paths.get(uuid)! : [...paths.get(uuid)!, way]);
      open.push(exit.to);
    }
  }
  return paths;
}

const PASSES = 'pass the block';

/** The answer or condition with which a conversation takes an exit of a block. */
function wayThrough(flow: Flow, block: Block, exit: Exit): string {
  const { semanticLabel, isDefault, test } = exit;
  if (semanticLabel === 'timeout') {
    const { seconds } = (block.config.timeout ?? {}) as { seconds?: unknown };
    return typeof seconds === 'number' ? `wait ${seconds} s` : 'wait until the time is over';
  }
  if (semanticLabel === 'error') return 'make the block fail, such as a request with a mock of status 500';
  const action = actionOf(block, exit);
  if (action !== undefined) return `let the agent route to '${action}'`;
  const choices = choicesOf(block, flow);
  const named = /^\s*block\.value\s*==?\s*"((?:[^"\\]|\\.)*)"\s*$/.exec(test ?? '')?.[1];
  const choice = named === undefined ? undefined : choices.find(({ name }) => name === named);
  if (choice) return `select '${choice.label}'`;
  if (isDefault && choices.length > 0 && block.exits.length > 1) return 'answer with none of the options';
  if (isDefault || test?.trim() === 'true') {
    const others = block.exits.filter(
      (other) => other !== exit && !other.semanticLabel && other.test !== undefined && other.test.trim() !== 'true',
    );
    if (others.length > 0) return `unless ${others.map((other) => shown(other.test!)).join(' or ')}`;
    return /Response$/.test(block.type) ? 'answer the question' : PASSES;
  }
  return test === undefined ? `let the block choose '${exit.name}'` : `when ${shown(test)}`;
}

/** The action with which an agent takes an exit. */
function actionOf({ config: { actions } }: Block, exit: Exit): string | undefined {
  if (!Array.isArray(actions) || exit.isDefault) return undefined;
  return actions.flatMap((given) => {
    const { name, exit: to } = (given ?? {}) as { readonly name?: unknown; readonly exit?: unknown };
    return typeof name === 'string' && (to || name) === exit.name ? name : [];
  })[0];
}

const shown = (test: string): string => (test.length > 80 ? `${test.slice(0, 80)}…` : test);
