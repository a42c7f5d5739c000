import type { Reference } from '../expression/reference.js';
import { containsReference, isExpression, looksLikeReference, parseReference } from '../expression/reference.js';
import { schemaTypes } from './check-data-model.js';
import { hintLiteralText } from './check-text.js';
import { checkExpression, reportUnresolved } from './check-uses.js';
import type { ErrorCode } from './codes.js';
import { quoted, shortened } from './findings.js';
import type { Action, Component, FlowFacts, Screen } from './flow-facts.js';
import type { JsonNode } from './json-node.js';
import { type Resolved, resolve } from './resolve.js';
import { didYouMean } from './suggestion.js';

/** Maximum number of names that a message lists. */
const MAX_NAMES = 5;
/** Default maximum number of files of a picker. */
const DEFAULT_FILES = 30;
/** Maximum number of files in a completion message. */
const MAX_COMPLETED_FILES = 10;

/** Checks the actions of a screen: their place, payload and target. */
export function checkActions(screen: Screen, flow: FlowFacts): void {
  const { findings } = flow;
  for (const action of screen.actions) {
    const { name, nameNode, payload } = action;
    if (name === 'complete' && screen.isTerminal === false) {
      findings.at(nameNode, 'INVALID_COMPLETE_ACTION', 'complete is allowed only on terminal screens');
    }
    if (name === 'data_exchange' && !flow.hasEndpoint) {
      findings.at(nameNode, 'MISSING_REQUIRED_PROPERTY', "property 'data_api_version' is required for data_exchange");
    }
    if (payload) checkPayload(payload, action, screen, flow);
    else if (name === 'navigate') {
      findings.hint(
        nameNode.parent!,
        'MISSING_NAVIGATE_PAYLOAD',
        "navigate has no 'payload'; phones treat it as {}, but some versions may refuse it",
      );
    }
    if (name === 'navigate') checkNavigate(action, screen, flow);
    if (name === 'update_data' && payload) checkUpdatedFields(payload, screen, flow);
  }
}

const codeOf = (action: Action): ErrorCode =>
  action.name === 'update_data' ? 'INVALID_ACTION_PAYLOAD_PROPERTY' : 'INVALID_ON_CLICK_ACTION_PAYLOAD';

/** Checks the references and expressions of a payload, at any depth. */
function checkPayload(payload: JsonNode, action: Action, screen: Screen, flow: FlowFacts): void {
  let pickers = 0;
  const visit = (node: JsonNode): void => {
    if (node.kind === 'null') {
      flow.findings.at(node, 'INVALID_PROPERTY_TYPE', `${quoted(node.key)} is null, which Flow JSON does not allow`);
    } else if (node.kind === 'string') {
      const isDirect = node.parent === payload && !isExpression(node.value as string);
      for (const { input } of resolvedIn(node, action, screen, flow)) {
        if (input?.type?.isPicker) reportPicker(input, node, action, isDirect, ++pickers, flow);
      }
    } else for (const item of node.items) visit(item);
  };
  visit(payload);
}

/** Returns the values that the references in a text resolve to, and reports the references that resolve to nothing. */
function resolvedIn(node: JsonNode, action: Action, screen: Screen, flow: FlowFacts): readonly Extract<Resolved, { type: unknown }>[] {
  const text = node.value as string;
  const code = codeOf(action);
  if (isExpression(text)) return checkExpression(node, false, screen, flow, code).filter((each) => 'type' in each);
  const reference = looksLikeReference(text) ? parseReference(text) : undefined;
  if (!reference) {
    hintLiteralText(node, flow.findings);
    return [];
  }
  const resolved = resolve(reference, screen, flow);
  if (!('problem' in resolved)) return [resolved];
  if (isOwnForm(reference, screen)) {
    const message = `${quoted(text)} refers to the Form itself; refer to its inputs with \${form.NAME}`;
    flow.findings.at(node, code, message);
  } else reportUnresolved(resolved, node, code, flow);
  return [];
}

const isOwnForm = ({ screen: other, source, path }: Reference, screen: Screen): boolean =>
  other === undefined && source === 'form' && screen.formNames.has(path.split('.')[0]!);

/** Files are allowed only in `complete` and `data_exchange`, as direct properties of the payload. */
function reportPicker(picker: Component, node: JsonNode, action: Action, isDirect: boolean, count: number, { findings }: FlowFacts): void {
  const problem = pickerProblem(picker, action, isDirect, count);
  if (problem !== undefined) return void findings.at(node, codeOf(action), `${quoted(node.value as string)}: ${problem}`);
  const files = maxFiles(picker);
  if (action.name === 'complete' && files !== undefined && files > 1) {
    const message = `the ${picker.type!.name} accepts up to ${files} files; some versions may refuse more than 1 in complete`;
    findings.hint(node, 'SEVERAL_FILES_IN_COMPLETE', message);
  }
}

function pickerProblem(picker: Component, { name }: Action, isDirect: boolean, count: number): string | undefined {
  const type = picker.type!.name;
  if (name !== 'complete' && name !== 'data_exchange') return `the value of a ${type} is not allowed in ${name}`;
  if (!isDirect) return `the value of a ${type} must be a direct property of the payload`;
  if (name !== 'complete') return undefined;
  if (count > 1) return 'a complete payload may contain the value of only one picker';
  const files = maxFiles(picker);
  if (files === undefined || files <= MAX_COMPLETED_FILES) return undefined;
  const found = picker.node.get(maxOf(picker)) ? files : `none (${files})`;
  return `for complete, set '${maxOf(picker)}' of the ${type} to ${MAX_COMPLETED_FILES} or less, found ${found}`;
}

/** The maximum number of files that a picker accepts; undefined if the limit is dynamic. */
function maxFiles(picker: Component): number | undefined {
  const max = picker.node.get(maxOf(picker));
  if (!max) return DEFAULT_FILES;
  return max.kind === 'number' ? (max.value as number) : undefined;
}

const maxOf = ({ type }: Component): string => (type!.name === 'PhotoPicker' ? 'max-uploaded-photos' : 'max-uploaded-documents');

function checkUpdatedFields(payload: JsonNode, screen: Screen, { findings }: FlowFacts): void {
  const { data } = screen;
  if (!data || payload.kind !== 'object') return;
  for (const member of payload.items) {
    if (data.has(member.key)) continue;
    const message = (): string => `property ${quoted(member.key)} is not in the data model${didYouMean(member.key, data.keys())}`;
    findings.atKey(member, 'INVALID_ACTION_PAYLOAD_PROPERTY', message);
  }
}

function checkNavigate({ nameNode, next, payload }: Action, screen: Screen, flow: FlowFacts): void {
  const id = next?.text;
  if (id === undefined || !/\S/.test(id)) return;
  const code = 'INVALID_NAVIGATE_ACTION_NEXT_SCREEN_NAME';
  if (id === screen.id)
    return void flow.findings.at(next!, code, `same-screen loop at [${shortened(id)}]: a screen may not navigate to itself`);
  const target = flow.screensById.get(id);
  if (!target) {
    return void flow.findings.at(next!, code, () => `unknown screens [${shortened(id)}]${didYouMean(id, flow.screensById.keys())}`);
  }
  if (flow.hasEndpoint || !target.data) return;
  if (payload?.kind === 'object') checkFields(payload, target, screen, flow);
  else if (!payload && target.data.size > 0) {
    const expected = names(firstOf(target.data.keys(), (key) => key));
    const message = `the payload is missing; screen ${quoted(id)} expects ${expected}`;
    flow.findings.at(nameNode.parent!, 'INVALID_NAVIGATE_ACTION_PAYLOAD', message);
  }
}

/** Without an endpoint, the payload must have exactly the fields that the next screen declares, with values of the declared types. */
function checkFields(payload: JsonNode, target: Screen, screen: Screen, flow: FlowFacts): void {
  const data = target.data!;
  const code = 'INVALID_NAVIGATE_ACTION_PAYLOAD';
  const extra = firstOf(payload.items, ({ key }) => (data.has(key) ? undefined : key));
  const missing = firstOf(data.keys(), (key) => (payload.get(key) ? undefined : key));
  const problems = [
    ...(extra.length > 0 ? [data.size === 0 ? `it declares no data, found ${names(extra)}` : `it does not declare ${names(extra)}`] : []),
    ...(missing.length > 0 ? [`it expects ${names(missing)}`] : []),
  ];
  if (problems.length > 0)
    flow.findings.at(payload, code, `the payload does not match screen ${quoted(target.id ?? '')}: ${problems.join('; ')}`);
  for (const value of payload.items) {
    const declared = schemaTypes.get(data.get(value.key)?.get('type')?.text ?? '');
    if (declared === undefined) continue;
    const found = typeOfValue(value, screen, flow);
    const fits = found === undefined || found.type === declared || (found.isReference && found.type === 'number' && declared === 'string');
    if (!fits)
      flow.findings.at(
        value,
        code,
        `screen ${quoted(target.id ?? '')} expects ${quoted(value.key)} to be ${declared}, found ${found.type}`,
      );
  }
}

/** The type of a value in a payload; undefined if it is unknown or has already been reported as wrong. */
function typeOfValue(value: JsonNode, screen: Screen, flow: FlowFacts): { type: string; isReference: boolean } | undefined {
  if (value.kind === 'null') return undefined;
  if (value.kind !== 'string') return { type: value.kind, isReference: false };
  const text = value.value as string;
  if (isExpression(text)) return undefined;
  if (!looksLikeReference(text)) return containsReference(text) ? undefined : { type: 'string', isReference: false };
  const reference = parseReference(text);
  const resolved = reference && resolve(reference, screen, flow);
  if (!resolved || 'problem' in resolved || resolved.type === undefined || resolved.input?.type?.isPicker) return undefined;
  return { type: resolved.type, isReference: true };
}

/** Finds the first few only, which bounds the work for large payloads. */
function firstOf<T>(all: Iterable<T>, find: (each: T) => string | undefined): string[] {
  const found: string[] = [];
  for (const each of all) {
    const name = find(each);
    if (name !== undefined) found.push(name);
    if (found.length > MAX_NAMES) break;
  }
  return found;
}

const names = (list: readonly string[]): string =>
  `${list.slice(0, MAX_NAMES).map(quoted).join(', ')}${list.length > MAX_NAMES ? ' and more' : ''}`;
