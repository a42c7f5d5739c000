import type { FlowFacts, Screen } from './flow-facts.js';
import type { JsonNode } from './json-node.js';

/** A route of a flow leads from one screen to another. (HTTP routes are in `routes.ts` of the plugin.) */
export interface Route {
  readonly from: Screen;
  readonly to: Screen;
  /** The target in the routing model, or the `next.name` of a `navigate`. */
  readonly node: JsonNode;
}

/** The routes of a flow whose screens both exist, except routes from a screen to itself. */
export interface Routes {
  readonly all: readonly Route[];
  readonly areComplete: boolean;
  /** The `routing_model`, if present. */
  readonly model: JsonNode | undefined;
  /** The distinct targets of each screen. Keyed by object: keys made of two ids take quadratic time if an id is very long. */
  readonly targets: ReadonlyMap<Screen, ReadonlySet<Screen>>;
}

/** Reads the routes from the routing model, or without one from all `navigate` actions. */
export function routesOf(flow: FlowFacts): Routes {
  const model = flow.root.get('routing_model');
  const read = model ? routesOfModel(model, flow) : routesOfActions(flow);
  const targets = new Map<Screen, Set<Screen>>();
  for (const { from, to } of read.all) addTarget(targets, from, to);
  return { ...read, model, targets };
}

export function addTarget(targets: Map<Screen, Set<Screen>>, from: Screen, to: Screen): void {
  const known = targets.get(from);
  if (known) known.add(to);
  else targets.set(from, new Set([to]));
}

type ReadRoutes = Pick<Routes, 'all' | 'areComplete'>;

function routesOfModel(model: JsonNode, { screensById }: FlowFacts): ReadRoutes {
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

function routesOfActions({ screens, screensById }: FlowFacts): ReadRoutes {
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

/** The entry screens: those to which no route leads. */
export function entriesOf(screens: readonly Screen[], { all }: Routes): Screen[] {
  const reached = new Set(all.map(({ to }) => to));
  return screens.filter((screen) => !reached.has(screen));
}
