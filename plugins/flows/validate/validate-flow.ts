import { type CheckedFlow, checkFlow } from './check-flow.js';
import { checkVersion } from './check-version.js';
import { createFindings, quoted } from './findings.js';
import type { JsonNode } from './json-node.js';
import { positionsIn } from './positions.js';
import { readText } from './read-text.js';
import type { FlowOutline, FlowValidation, Pointer, ValidateOptions } from './result.js';
import { entriesOf } from './routes.js';
import { scan } from './scan.js';

const MAX_LISTED = 500;

/**
 * Validates Flow JSON by the rules of the network. Never throws. Positions refer to the text without a byte-order mark. The time is linear
 * in the length of the text: 10 MB take 1-4 s of CPU, so validate large flows in a worker, as `createFlowValidation` does.
 */
export function validateFlow(source: string | Uint8Array, options: ValidateOptions = {}): FlowValidation {
  const { newerVersions = 'hint', maxListed = MAX_LISTED } = options;
  const read = readText(source);
  if ('problem' in read) return notJson(read.text, read.problem, read.offset);
  const { text } = read;
  const scanned = scan(text);
  if ('problem' in scanned) return notJson(text, scanned.problem, scanned.offset);
  const { root, duplicates } = scanned;

  const findings = createFindings();
  if (root.kind !== 'object') findings.at(root, 'INVALID_FLOW_JSON', `a flow should be a JSON object, found ${root.kind}`);
  const version = root.kind === 'object' ? checkVersion(root, newerVersions, findings) : undefined;
  if (version === undefined) return { ...findings.list(text, maxListed), outline: outlineOf(root) };
  for (const node of duplicates) findings.atKey(node, 'INVALID_PROPERTY_KEY', `duplicate property ${quoted(node.key)}`);
  const flow = checkFlow(root, version, findings);
  return { ...findings.list(text, maxListed), outline: outlineOf(root, flow) };
}

/** For a text that is not JSON this is the only error. */
function notJson(text: string, problem: string, offset: number): FlowValidation {
  const range = positionsIn(text)(offset, offset + 1);
  const pointers: Pointer[] = [{ ...range, path: '' }];
  const message = `not valid JSON: ${problem} (line ${range.line_start}, column ${range.column_start})`;
  return {
    errors: [{ error: 'INVALID_FLOW_JSON', error_type: 'FLOW_JSON_ERROR', message, ...range, pointers }],
    hints: [],
    unlistedErrors: 0,
    outline: { screens: [], entries: [] },
  };
}

function outlineOf(root: JsonNode, flow?: CheckedFlow): FlowOutline {
  const version = root.get('version')?.text;
  const dataApiVersion = root.get('data_api_version')?.text;
  const screens = [...(flow?.screensById.values() ?? [])];
  return {
    ...(version !== undefined && { version }),
    ...(dataApiVersion !== undefined && { data_api_version: dataApiVersion }),
    screens: screens.map(({ id, node, isTerminal, data }) => {
      const title = node.get('title')?.text;
      return { id: id!, ...(title !== undefined && { title }), isTerminal: isTerminal === true, data: [...(data?.keys() ?? [])] };
    }),
    entries: flow ? entriesOf(screens, flow.routes).map(({ id }) => id!) : [],
  };
}
