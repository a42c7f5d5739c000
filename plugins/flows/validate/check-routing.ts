import { quoted } from './findings.js';
import type { FlowFacts, Screen } from './flow-facts.js';
import type { JsonNode } from './json-node.js';
import { addTarget, entriesOf, type Route, type Routes } from './routes.js';
import { didYouMean } from './suggestion.js';

const CODE = 'INVALID_ROUTING_MODEL';
const MAX_BRANCHES = 10;

/** Checks the graph of screens: it has an entry screen, is connected, and has no loops. */
export function checkRouting(routes: Routes, flow: FlowFacts): void {
  if (routes.model) checkModel(routes.model, flow);
  checkBranches(routes, flow);
  if (flow.hasEndpoint && routes.model) checkListed(routes, flow);
  const hasIds = flow.screens.length > 0 && flow.screensById.size === flow.screens.length;
  // Without a routing model, the routes of an endpoint are unknown.
  if (!routes.areComplete || !hasIds || (flow.hasEndpoint && !routes.model)) return;
  if (reportBackward(routes, flow)) return;
  checkConnected(routes, flow);
  checkEntry(routes, flow);
}

/** Checks that the routing model names existing screens. */
function checkModel(model: JsonNode, { findings, screensById }: FlowFacts): void {
  for (const targets of model.items) {
    const { key } = targets;
    if (!screensById.has(key)) {
      findings.atKey(
        targets,
        CODE,
        () => `routing_model contains screen ${quoted(key)}, which does not exist${didYouMean(key, screensById.keys())}`,
      );
    }
    for (const node of targets.items) {
      const id = node.text;
      if (id === undefined) continue;
      if (id === key) findings.at(node, CODE, () => `a route must not lead from ${quoted(id)} to itself`);
      else if (!screensById.has(id)) {
        findings.at(node, CODE, () => `a route leads to screen ${quoted(id)}, which does not exist${didYouMean(id, screensById.keys())}`);
      }
    }
  }
}

function checkBranches({ targets, model }: Routes, { findings }: FlowFacts): void {
  for (const [from, { size }] of targets) {
    if (size <= MAX_BRANCHES) continue;
    const node = model?.get(from.id ?? '') ?? from.idNode;
    if (node) findings.at(node, CODE, `at most ${MAX_BRANCHES} routes may leave a screen, found ${size} from ${quoted(from.id ?? '')}`);
  }
}

/** With an endpoint, the routing model must list every screen and the route of every `navigate`. */
function checkListed({ targets, model }: Routes, { screens, screensById, findings }: FlowFacts): void {
  const named = new Set(model!.items.flatMap(({ key, items }) => [key, ...items.map(({ text }) => text)]));
  for (const { id, idNode, actions } of screens) {
    if (id === undefined) continue;
    if (screens.length > 1 && !named.has(id)) findings.at(idNode!, CODE, `screen ${quoted(id)} is missing in routing_model`);
    const listed = targets.get(screensById.get(id)!);
    for (const { name, next } of actions) {
      const target = screensById.get(next?.text ?? '');
      if (name !== 'navigate' || !target || target.id === id || listed?.has(target)) continue;
      findings.at(next!, CODE, () => `the route from ${quoted(id)} to ${quoted(target.id!)} is not listed in routing_model`);
    }
  }
}

/** @returns whether a route and its reverse were found; then a missing entry screen or a loop is not reported as well */
function reportBackward({ all, model }: Routes, { findings }: FlowFacts): boolean {
  const seen = new Map<Screen, Set<Screen>>();
  let isFound = false;
  for (const { from, to, node } of all) {
    addTarget(seen, from, to);
    if (!seen.get(to)?.has(from)) continue;
    isFound = true;
    const message = (): string =>
      `the route from ${quoted(from.id ?? '')} to ${quoted(to.id ?? '')} leads backward; remove it, because the back button needs no route`;
    findings.at(model ? node.parent! : node, CODE, message);
  }
  return isFound;
}

function checkConnected({ all }: Routes, { screens, findings }: FlowFacts): void {
  const neighbours = new Map<Screen, Screen[]>(screens.map((screen) => [screen, []]));
  for (const { from, to } of all) {
    neighbours.get(from)!.push(to);
    neighbours.get(to)!.push(from);
  }
  const groups: Set<Screen>[] = [];
  const seen = new Set<Screen>();
  for (const screen of screens) {
    if (seen.has(screen)) continue;
    const group = new Set([screen]);
    for (const member of group) {
      seen.add(member);
      for (const other of neighbours.get(member)!) group.add(other);
    }
    groups.push(group);
  }
  const main = groups.reduce((best, group) => (group.size > best.size ? group : best));
  for (const { id, idNode } of screens.filter((screen) => !main.has(screen))) {
    findings.at(idNode!, CODE, `screen ${quoted(id ?? '')} is not connected with the other screens`);
  }
}

function checkEntry(routes: Routes, { root, screens, findings }: FlowFacts): void {
  const place = routes.model ?? root.get('screens')!;
  if (entriesOf(screens, routes).length === 0) {
    return void findings.at(place, CODE, 'no entry screen: a route leads to every screen');
  }
  const looping = screensInLoops(screens, routes.all);
  if (looping.length === 0) return;
  const names = looping.slice(0, 5).map(({ id }) => quoted(id ?? ''));
  findings.at(place, CODE, `the routes form a loop: ${names.join(', ')}${looping.length > names.length ? ' and more' : ''}`);
}

/** Repeatedly removes screens without incoming routes, then screens without outgoing ones; the screens that remain are in loops. */
function screensInLoops(screens: readonly Screen[], all: readonly Route[]): Screen[] {
  const remaining = new Set(screens);
  for (const [near, far] of [
    ['to', 'from'],
    ['from', 'to'],
  ] as const) {
    const inward = new Map<Screen, number>();
    const outward = new Map<Screen, Screen[]>();
    for (const route of all) {
      if (!remaining.has(route.from) || !remaining.has(route.to)) continue;
      inward.set(route[near], (inward.get(route[near]) ?? 0) + 1);
      const next = outward.get(route[far]);
      if (next) next.push(route[near]);
      else outward.set(route[far], [route[near]]);
    }
    const free = [...remaining].filter((screen) => !inward.has(screen));
    for (let screen = free.pop(); screen; screen = free.pop()) {
      remaining.delete(screen);
      for (const next of outward.get(screen) ?? []) {
        const count = inward.get(next)! - 1;
        inward.set(next, count);
        if (count === 0) free.push(next);
      }
    }
  }
  return [...remaining];
}
