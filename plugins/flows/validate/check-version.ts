import type { Findings } from './findings.js';
import { quoted } from './findings.js';
import type { JsonNode } from './json-node.js';

/** Released versions that are no longer accepted. */
const released = ['2.1', '3.0', '3.1', '4.0', '5.0', '5.1', '6.0', '6.1', '6.2', '6.3', '7.0', '7.1'] as const;
/** The accepted versions, each with its Data API versions. */
const accepted: ReadonlyMap<string, readonly string[]> = new Map([
  ['7.2', ['3.0']],
  ['7.3', ['3.0', '4.0']],
]);
const NEWEST = '7.3';
/** A higher major number is treated as a mistake, such as a year, and not as a future version. */
const LAST_MAJOR = 99;

/**
 * Returns the version whose rules apply. Reports an error and returns undefined if there is none; the flow is then not checked further.
 * @param newer whether a version above the newest known version is a hint or an error
 */
export function checkVersion(root: JsonNode, newer: 'hint' | 'refuse', findings: Findings): string | undefined {
  const node = root.get('version');
  const known = newer === 'hint' ? '7.2 or higher' : [...accepted.keys()].join(' or ');
  if (!node) {
    findings.at(root, 'MISSING_FLOW_JSON_VERSION', `the version is not specified; add 'version': ${known}`);
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
    findings.at(node, 'UNSUPPORTED_FLOW_JSON_VERSION', `version ${version} is not supported; use 7.2 or higher`);
    return undefined;
  }
  if (newer === 'hint' && isNewer(version)) {
    findings.hint(
      node,
      'NEWER_FLOW_JSON_VERSION',
      `version ${version} is newer than ${NEWEST}, the newest known version; the flow was checked by the rules of ${NEWEST}`,
    );
    return NEWEST;
  }
  findings.at(node, 'INVALID_FLOW_JSON_VERSION', `invalid version ${quoted(version)}; expected ${known}`);
  return undefined;
}

/** Compares major and minor as numbers: 7.10 is newer than 7.9. */
function isNewer(version: string): boolean {
  const match = /^([1-9]\d{0,3})\.(0|[1-9]\d{0,3})$/.exec(version);
  if (!match) return false;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major <= LAST_MAJOR && (major > 7 || (major === 7 && minor > 3));
}

/** Checks that the Data API version exists for the version of the flow, and that there is a routing model. */
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
    const message = `data API version ${given} was introduced with Flow JSON version ${later}; use ${known.join(' or ')} with version ${version}`;
    return void findings.hint(node, 'NEWER_DATA_API_VERSION', message);
  }
  const message = `no data API version ${quoted(given)} for version ${version}; expected ${known.join(' or ')}`;
  findings.at(node, 'NO_SUPPORTED_DATA_API_VERSION', message);
}
