import type { FlowFacts, Screen } from './flow-facts.js';
import type { JsonNode } from './json-node.js';

/** A route of a flow: the step from one screen to another. HTTP routes are in `routes.ts` of the plugin. */
export interface Route {
  readonly from: Screen;
  readonly to: Screen;
  /** Where it is written: the target in the routing model, or the `next.name` of a `navigate`. */
  readonly node: JsonNode;
}

/** The routes of a flow, as far as both ends exist. Routes of a screen to itself are left out. */
export interface Routes {
  readonly all: readonly Route[];
  /** Whether every route that is written could be read. */
  readonly areComplete: boolean;
  /** The routing model, when there is one. */
  readonly model: JsonNode | undefined;
  /** Where a screen leads, each target once. By identity: text made of two ids took quadratic time where one of them is long. */
  readonly targets: ReadonlyMap<Screen, ReadonlySet<Screen>>;
}

/** Routes of the routing model, or without one those of all `navigate` actions. */
export function routesOf(flow: FlowFacts): Routes {
  const model = flow.root.get('routing_model');
  const read = model ? ofModel(model, flow) : ofActions(flow);
  const targets = new Map<Screen, Set<Screen>>();
  for (const { from, to } of read.all) addTarget(targets, from, to);
  return { ...read, model, targets };
}

/** Notes that a route leads from one screen to another. */
export function addTarget(targets: Map<Screen, Set<Screen>>, from: Screen, to: Screen): void {
  const known = targets.get(from);
  if (known) known.add(to);
  else targets.set(from, new Set([to]));
}

type ReadRoutes = Pick<Routes, 'all' | 'areComplete'>;

function ofModel(model: JsonNode, { screensById }: FlowFacts): ReadRoutes {
  const all: Route[] = [];
  let areComplete = model.kind === 'object';
  for (const targets of model.items) {
    const from = screensById.get(targets.key);
    if (!from || targets.kind !== 'array') areComplete = false;
    for (const node of targets.items) {
      const to = screensById.get(node.text ?? '');
      if (!to) areComplete = false;
      else if (from && to !== from) all.push({ from, to, node });
    }
  }
  return { all, areComplete };
}

function ofActions({ screens, screensById }: FlowFacts): ReadRoutes {
  const all: Route[] = [];
  let areComplete = true;
  for (const from of screens) {
    for (const { name, next } of from.actions) {
      if (name !== 'navigate') continue;
      const to = screensById.get(next?.text ?? '');
      if (!to) areComplete = false;
      else if (to !== from) all.push({ from, to, node: next! });
    }
  }
  return { all, areComplete };
}

/** The screens to which no route leads. */
export function entriesOf(screens: readonly Screen[], { all }: Routes): Screen[] {
  const reached = new Set(all.map(({ to }) => to));
  return screens.filter((screen) => !reached.has(screen));
}
