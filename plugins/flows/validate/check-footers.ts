import { quoted } from './findings.js';
import type { FlowFacts, Screen } from './flow-facts.js';
import type { JsonNode } from './json-node.js';

/** Checks that a screen shows at most one Footer in every combination of branches, and that the branches of an If or Switch either all have a Footer or all have none. */
export function checkFooters(screen: Screen, flow: FlowFacts): void {
  const { children, components, idNode, isTerminal } = screen;
  if (!children) return;
  const { findings } = flow;
  const footers = components.filter(({ type }) => type?.name === 'Footer');
  const always = footers.filter(({ place }) => place.branches === 0).length;
  if (always > 1) findings.at(children, 'MAX_FOOTER_PER_SCREEN', `at most 1 Footer per screen, found ${always}`);
  else if (maxFooters(children.items) > 1)
    findings.at(children, 'MORE_THAN_ONE_FOOTER', 'at most 1 Footer per screen, for every combination of branches');
  for (const { type, node, place } of components) {
    if (place.branches > 0) continue;
    if (type?.name === 'If') checkIf(node, flow);
    if (type?.name === 'Switch') checkSwitch(node, flow);
  }
  if (isTerminal && idNode && footers.length === 0) {
    findings.at(idNode, 'MISSING_FOOTER_ON_TERMINAL_SCREEN', `the terminal screen ${quoted(screen.id ?? '')} has no Footer`);
  }
}

function checkIf(node: JsonNode, { findings }: FlowFacts): void {
  if (hasFooter(node.get('then')) === hasFooter(node.get('else'))) return;
  findings.at(node, 'MISSING_FOOTER_IN_IF_ELSE_BRANCHES', "put a Footer in both 'then' and 'else', or in neither");
}

function checkSwitch(node: JsonNode, { findings }: FlowFacts): void {
  const cases = node.get('cases')?.items ?? [];
  const withFooter = cases.filter(hasFooter).length;
  if (withFooter === 0 || withFooter === cases.length) return;
  findings.at(node, 'MISSING_FOOTER_IN_SWITCH_BRANCHES', 'put a Footer in all cases, or in none');
}

const hasFooter = (branch: JsonNode | undefined): boolean => branch?.items.some((child) => typeOf(child) === 'Footer') ?? false;

/** The maximum number of Footers that a combination of branches shows. */
function maxFooters(children: readonly JsonNode[]): number {
  let max = 0;
  for (const child of children) {
    const type = typeOf(child);
    if (type === 'Footer') max++;
    else if (type === 'Form') max += maxFooters(child.get('children')?.items ?? []);
    else if (type === 'If') max += Math.max(maxFooters(child.get('then')?.items ?? []), maxFooters(child.get('else')?.items ?? []));
    else if (type === 'Switch') max += maxInCases(child);
  }
  return max;
}

function maxInCases(node: JsonNode): number {
  let max = 0;
  for (const branch of node.get('cases')?.items ?? []) max = Math.max(max, maxFooters(branch.items));
  return max;
}

const typeOf = (node: JsonNode): string | undefined => node.get('type')?.text;
