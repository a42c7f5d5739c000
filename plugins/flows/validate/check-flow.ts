import { checkDataModel } from './check-data-model.js';
import { checkFooters } from './check-footers.js';
import { checkActions } from './check-payloads.js';
import { checkRouting } from './check-routing.js';
import { checkScreen } from './check-screen.js';
import { checkScreens } from './check-screens.js';
import { checkUses } from './check-uses.js';
import { checkProperties } from './check-value.js';
import { checkDataApiVersion } from './check-version.js';
import type { Findings } from './findings.js';
import type { ComponentContext, FlowFacts } from './flow-facts.js';
import type { JsonNode } from './json-node.js';
import { readScreen } from './read-screen.js';
import { type Routes, routesOf } from './routes.js';
import { type Properties, required } from './rule.js';
import { wrongType } from './visit.js';

export const topLevel: Properties = {
  version: required({ kind: 'json', holds: 'anything' }),
  screens: required({ kind: 'json', holds: 'anything' }),
  routing_model: { kind: 'json', holds: 'object' },
  data_api_version: { kind: 'json', holds: 'anything' },
};

const topLevelPlace: ComponentContext = { inside: 'layout', isInForm: false, branches: 0, ifs: 0 };

/** The contents of a flow, and the routes between its screens. */
export interface CheckedFlow extends FlowFacts {
  readonly routes: Routes;
}

/** Checks a flow of a known version: first each part by itself, then the parts together. @returns the contents of the flow */
export function checkFlow(root: JsonNode, version: string, findings: Findings): CheckedFlow {
  const hasEndpoint = root.get('data_api_version') !== undefined;
  const flow: FlowFacts = { root, findings, version, hasEndpoint, screens: [], screensById: new Map() };
  checkProperties(topLevel, root, {
    flow,
    owner: 'the flow',
    place: topLevelPlace,
    screen: { uses: [], actions: [] },
    components: () => undefined,
  });
  checkDataApiVersion(root, version, findings);
  checkRoutingTypes(root.get('routing_model'), flow);
  readScreens(root.get('screens'), flow);

  checkScreens(flow);
  for (const screen of flow.screens) {
    const data = screen.node.get('data');
    if (data?.kind === 'object') checkDataModel(data, findings);
    checkScreen(screen, flow);
    checkFooters(screen, flow);
    checkUses(screen, flow);
    checkActions(screen, flow);
  }
  const routes = routesOf(flow);
  checkRouting(routes, flow);
  return { ...flow, routes };
}

function readScreens(node: JsonNode | undefined, flow: FlowFacts): void {
  if (!node) return;
  if (node.kind !== 'array') return void wrongType(node, 'array of screens', { flow });
  if (node.items.length === 0) flow.findings.at(node, 'MIN_ITEMS_REQUIRED', "'screens' needs at least 1 item, found 0");
  for (const item of node.items) {
    if (item.kind !== 'object') {
      wrongType(item, 'a screen (object)', { flow });
      continue;
    }
    const screen = readScreen(item, flow, topLevelPlace);
    flow.screens.push(screen);
    if (screen.id !== undefined && !flow.screensById.has(screen.id)) flow.screensById.set(screen.id, screen);
  }
}

function checkRoutingTypes(model: JsonNode | undefined, flow: FlowFacts): void {
  for (const targets of model?.kind === 'object' ? model.items : []) {
    if (targets.kind !== 'array') wrongType(targets, 'array of screen ids', { flow });
    else for (const id of targets.items) if (id.kind !== 'string') wrongType(id, 'string', { flow });
  }
}
