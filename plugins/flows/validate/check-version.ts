import type { Findings } from './findings.js';
import { quoted } from './findings.js';
import type { JsonNode } from './json-node.js';

/** Every version there has been, oldest first, and which Data API versions go with each that is accepted. */
const released = ['2.1', '3.0', '3.1', '4.0', '5.0', '5.1', '6.0', '6.1', '6.2', '6.3', '7.0', '7.1'] as const;
const accepted: ReadonlyMap<string, readonly string[]> = new Map([
  ['7.2', ['3.0']],
  ['7.3', ['3.0', '4.0']],
]);
const NEWEST = '7.3';
/** Beyond this a number is no version to come but a mistake, such as a year. */
const LAST_MAJOR = 99;

/**
 * The version whose rules apply, or nothing when there is none; then that is all that can be said about a flow.
 * @param newer whether versions above the newest known one are checked by its rules
 */
export function checkVersion(root: JsonNode, newer: 'hint' | 'refuse', findings: Findings): string | undefined {
  const node = root.get('version');
  const known = newer === 'hint' ? '7.2 or higher' : [...accepted.keys()].join(' or ');
  if (!node) {
    findings.at(root, 'MISSING_FLOW_JSON_VERSION', `the version is not specified; expected ${known}`);
    return undefined;
  }
  if (node.kind !== 'string') {
    const found = node.kind === 'number' ? `the number ${node.value}` : node.kind;
    findings.at(node, 'UNSUPPORTED_FLOW_JSON_VERSION', `unsupported version: expected a string such as '${NEWEST}', found ${found}`);
    return undefined;
  }
  const version = node.value as string;
  if (accepted.has(version)) return version;
  if (released.some((each) => each === version)) {
    findings.at(node, 'UNSUPPORTED_FLOW_JSON_VERSION', `version ${version} is not supported; 7.2 or higher is`);
    return undefined;
  }
  if (newer === 'hint' && isNewer(version)) {
    findings.hint(node, 'NEWER_FLOW_JSON_VERSION', `version ${version} is newer than ${NEWEST}; it was checked by the rules of ${NEWEST}`);
    return NEWEST;
  }
  findings.at(node, 'INVALID_FLOW_JSON_VERSION', `invalid version ${quoted(version)}; expected ${known}`);
  return undefined;
}

/** Versions are compared part by part: after 7.9 comes 7.10. */
function isNewer(version: string): boolean {
  const match = /^([1-9]\d{0,3})\.(0|[1-9]\d{0,3})$/.exec(version);
  if (!match) return false;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major <= LAST_MAJOR && (major > 7 || (major === 7 && minor > 3));
}

/** Checks that the Data API version exists for the version of the flow, and comes with a routing model. */
export function checkDataApiVersion(root: JsonNode, version: string, findings: Findings): void {
  const node = root.get('data_api_version');
  if (!node) return;
  if (!root.get('routing_model')) {
    findings.at(node, 'MISSING_REQUIRED_PROPERTY', "property 'routing_model' is required for 'data_api_version'");
  }
  if (node.kind !== 'string') {
    return void findings.at(node, 'INVALID_PROPERTY_TYPE', `expected data_api_version to be string, found ${node.kind}`);
  }
  const given = node.value as string;
  const known = accepted.get(version)!;
  if (known.includes(given)) return;
  const later = [...accepted].find(([, versions]) => versions.includes(given))?.[0];
  if (later !== undefined) {
    const message = `data API version ${given} came with version ${later} of Flow JSON; version ${version} goes with ${known.join(' or ')}`;
    return void findings.hint(node, 'NEWER_DATA_API_VERSION', message);
  }
  const message = `there is no data API version ${quoted(given)} for version ${version}; expected ${known.join(' or ')}`;
  findings.at(node, 'NO_SUPPORTED_DATA_API_VERSION', message);
}
