import { blockTypes } from '../blocks/index.js';
import { type Block, type Flow, textAt } from '../compile.js';
import type { Problems } from '../problems.js';

/** Reports unreachable blocks, and cycles in which no block waits for the contact. */
export function checkGraph(flow: Flow, pathOf: (uuid: string) => string, problems: Problems): void {
  const successors = new Map([...flow.blocks.values()].map((block) => [block.uuid, successorsOf(block, flow)]));
  const reached = reachable([flow.first, ...(flow.exit === null ? [] : [flow.exit])], successors);
  for (const block of flow.blocks.values()) {
    if (reached.has(block.uuid)) continue;
    problems.add(
      'warning',
      'unreachable_block',
      pathOf(block.uuid),
      `no exit leads to '${block.name}', directly or through other blocks`,
      block.name,
    );
  }
  const nonWaiting = new Map([...successors].filter(([uuid]) => !mayWait(flow.blocks.get(uuid))));
  for (const cycle of cyclesOf(nonWaiting)) {
    const [first = ''] = cycle;
    const names = cycle.map((uuid) => `'${flow.blocks.get(uuid)?.name}'`);
    const shown = `${names.slice(0, 5).join(', ')}${names.length > 5 ? ' and others' : ''}`;
    const hasWayOut = cycle.some((uuid) => canLeave(flow.blocks.get(uuid), cycle));
    const [severity, code] = hasWayOut ? (['warning', 'cycle_without_wait'] as const) : (['error', 'endless_cycle'] as const);
    const message = hasWayOut
      ? `the cycle ${shown} may repeat without waiting for the contact, until the turn reaches its limit`
      : `the cycle ${shown} never ends and never waits for the contact`;
    problems.add(severity, code, pathOf(first), message, flow.blocks.get(first)?.name);
  }
}

/** The blocks that can follow a block: those of its exits, and the `destination_block` of dynamic choices. */
function successorsOf({ exits, config }: Block, { blocks }: Flow): readonly string[] {
  const named = [...exits.map(({ to }) => to), textAt(config, 'destination_block')];
  return named.filter((uuid): uuid is string => uuid !== null && blocks.has(uuid));
}

/** Whether a run can wait at a block. True for unknown types, so that they cause no false findings. */
function mayWait(block: Block | undefined): boolean {
  const type = block && blockTypes.get(block.type);
  if (block && type?.waits) return type.waits(block.config);
  return !type || type.answer !== undefined || type.elapsed !== undefined || type.returned !== undefined || block.type === 'Core.RunFlow';
}

const canLeave = (block: Block | undefined, cycle: readonly string[]): boolean =>
  block?.exits.some(({ to }) => to === null || !cycle.includes(to)) ?? true;

function reachable(from: readonly string[], successors: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [...from];
  for (let uuid = open.pop(); uuid !== undefined; uuid = open.pop()) {
    if (reached.has(uuid)) continue;
    reached.add(uuid);
    open.push(...(successors.get(uuid) ?? []));
  }
  return reached;
}

/** The strongly connected components that have a cycle (Tarjan's algorithm, iterative), each in the order of the blocks. */
function cyclesOf(successors: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order = [...successors.keys()];
  const place = new Map(order.map((uuid, i) => [uuid, i]));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const path: string[] = [];
  const onPath = new Set<string>();
  const cycles: string[][] = [];
  const enter = (uuid: string): { uuid: string; next: number } => {
    index.set(uuid, index.size);
    low.set(uuid, index.size - 1);
    path.push(uuid);
    onPath.add(uuid);
    return { uuid, next: 0 };
  };
  const lower = (uuid: string, to: number): void => void low.set(uuid, Math.min(low.get(uuid)!, to));
  for (const root of order) {
    const stack = index.has(root) ? [] : [enter(root)];
    for (let visit = stack.at(-1); visit; visit = stack.at(-1)) {
      const to = successors.get(visit.uuid)?.[visit.next++];
      if (to !== undefined) {
        if (successors.has(to) && !index.has(to)) stack.push(enter(to));
        else if (onPath.has(to)) lower(visit.uuid, index.get(to)!);
        continue;
      }
      stack.pop();
      const { uuid } = visit;
      const caller = stack.at(-1);
      if (caller) lower(caller.uuid, low.get(uuid)!);
      if (low.get(uuid) !== index.get(uuid)) continue;
      const part = path.splice(path.indexOf(uuid));
      for (const member of part) onPath.delete(member);
      if (part.length > 1 || successors.get(uuid)?.includes(uuid)) cycles.push(part.sort((a, b) => place.get(a)! - place.get(b)!));
    }
  }
  return cycles;
}
