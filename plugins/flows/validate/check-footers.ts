import { quoted } from './findings.js';
import type { FlowFacts, Screen } from './flow-facts.js';
import type { JsonNode } from './json-node.js';

/** Checks that a screen never shows more than one Footer, and that branches agree on having one. */
export function checkFooters(screen: Screen, flow: FlowFacts): void {
  const { children, components, idNode, isTerminal } = screen;
  if (!children) return;
  const { findings } = flow;
  const footers = components.filter(({ type }) => type?.name === 'Footer');
  const always = footers.filter(({ place }) => place.branches === 0).length;
  if (always > 1) findings.at(children, 'MAX_FOOTER_PER_SCREEN', `at most 1 Footer per screen, found ${always}`);
  else if (maxFooters(children.items) > 1) findings.at(children, 'MORE_THAN_ONE_FOOTER', 'at most 1 Footer, whichever branches are shown');
  for (const { type, node, place } of components) {
    if (place.branches > 0) continue;
    if (type?.name === 'If') checkIf(node, flow);
    if (type?.name === 'Switch') checkSwitch(node, flow);
  }
  if (isTerminal && idNode && footers.length === 0) {
    findings.at(idNode, 'MISSING_FOOTER_ON_TERMINAL_SCREEN', `a Footer is missing on the terminal screen ${quoted(screen.id ?? '')}`);
  }
}

function checkIf(node: JsonNode, { findings }: FlowFacts): void {
  if (hasFooter(node.get('then')) === hasFooter(node.get('else'))) return;
  findings.at(node, 'MISSING_FOOTER_IN_IF_ELSE_BRANCHES', "a Footer must be in both 'then' and 'else', or in neither");
}

function checkSwitch(node: JsonNode, { findings }: FlowFacts): void {
  const cases = node.get('cases')?.items ?? [];
  const having = cases.filter(hasFooter).length;
  if (having === 0 || having === cases.length) return;
  findings.at(node, 'MISSING_FOOTER_IN_SWITCH_BRANCHES', 'a Footer must be in all cases, or in none');
}

const hasFooter = (branch: JsonNode | undefined): boolean => branch?.items.some((child) => typeOf(child) === 'Footer') ?? false;

/** The most Footers that can be shown at once. */
function maxFooters(children: readonly JsonNode[]): number {
  let most = 0;
  for (const child of children) {
    const type = typeOf(child);
    if (type === 'Footer') most++;
    else if (type === 'Form') most += maxFooters(child.get('children')?.items ?? []);
    else if (type === 'If') most += Math.max(maxFooters(child.get('then')?.items ?? []), maxFooters(child.get('else')?.items ?? []));
    else if (type === 'Switch') most += maxInCases(child);
  }
  return most;
}

function maxInCases(node: JsonNode): number {
  let most = 0;
  for (const branch of node.get('cases')?.items ?? []) most = Math.max(most, maxFooters(branch.items));
  return most;
}

const typeOf = (node: JsonNode): string | undefined => node.get('type')?.text;
