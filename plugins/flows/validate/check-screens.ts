import { quoted } from './findings.js';
import type { FlowFacts } from './flow-facts.js';
import type { JsonNode } from './json-node.js';

const MAX_SCREENS = 100;
const MAX_CAROUSELS = 3;

/** Checks the screens together: their number, ids and terminal screens. */
export function checkScreens(flow: FlowFacts): void {
  const { root, screens, findings } = flow;
  const list = root.get('screens');
  if (list?.kind !== 'array') return;
  const count = list.items.length;
  if (count > MAX_SCREENS) findings.at(list, 'MAX_SCREENS_NUMBER', `at most ${MAX_SCREENS} screens, found ${count}`);
  const carousels = screens.flatMap(({ components }) => components.filter(({ type }) => type?.name === 'ImageCarousel')).length;
  if (carousels > MAX_CAROUSELS) {
    findings.at(list, 'MAX_IMAGE_CAROUSEL_PER_FLOW', `at most ${MAX_CAROUSELS} ImageCarousel per flow, found ${carousels}`);
  }
  checkIds(flow);
  checkTerminalScreens(list, flow);
  for (const { node, isTerminal } of screens) {
    const success = node.get('success');
    if (success && isTerminal === false) {
      findings.at(success, 'NOT_KEYWORD_SCHEMA_VALIDATION_FAILED', "'success' is allowed only on terminal screens");
    }
    const refresh = node.get('refresh_on_back');
    if (refresh?.value === true && !flow.hasEndpoint) {
      findings.at(refresh, 'INVALID_PROPERTY_VALUE', "'refresh_on_back' requires an endpoint: add 'data_api_version'");
    }
  }
}

function checkIds({ screens, screensById, findings }: FlowFacts): void {
  for (const screen of screens) {
    const first = screen.id === undefined ? undefined : screensById.get(screen.id);
    if (!first || first === screen) continue;
    findings.at(screen.idNode!, 'DUPLICATE_SCREEN_IDS', `duplicate screen id ${quoted(screen.id!)}`, [first.idNode!]);
  }
}

/** At least one screen is terminal, and at least one terminal screen has `success` true. */
function checkTerminalScreens(list: JsonNode, { screens, findings }: FlowFacts): void {
  if (screens.length === 0 || screens.length < list.items.length) return;
  const ends = screens.filter(({ isTerminal }) => isTerminal !== false);
  if (ends.length === 0) return void findings.at(list, 'MISSING_TERMINAL_SCREEN', 'at least one terminal screen is required');
  if (ends.some(({ isTerminal, isSuccess }) => isTerminal === undefined || isSuccess !== false)) return;
  const [first, ...others] = ends.map(({ node }) => node.get('success')!);
  const message = "invalid value for property 'success': at least one terminal screen must have success true";
  findings.at(first!, 'INVALID_PROPERTY_VALUE', message, others);
}
