import { isExpression, looksLikeReference } from '../expression/reference.js';
import { type Findings, quoted } from './findings.js';
import type { JsonNode } from './json-node.js';
import { didYouMean } from './suggestion.js';

/** Hints at mistakes in the options of a component and in the properties that refer to them. */
export function hintOptions(component: JsonNode, findings: Findings): void {
  for (const key of ['data-source', 'list-items']) hintRepeatedIds(component.get(key), findings);
  const initValue = component.get('init-value');
  if (initValue) hintUnknownChoice(initValue, component, findings);
  const min = component.get('min-selected-items');
  const options = component.get('data-source');
  if (min?.kind !== 'number' || options?.kind !== 'array') return;
  const count = options.items.length;
  if ((min.value as number) > count) {
    const message = `'min-selected-items' is ${min.value}, but there are only ${count} options, so the input can never be valid`;
    findings.hint(min, 'MIN_SELECTED_EXCEEDS_OPTIONS', message);
  }
}

/** Hints at an initial value that is not among the options. Skipped for dynamic options, which are known only with the data. */
export function hintUnknownChoice(value: JsonNode, component: JsonNode, findings: Findings): void {
  const options = component.get('data-source');
  const ids = options?.kind === 'array' ? staticIds(options) : undefined;
  if (!ids) return;
  for (const node of value.kind === 'array' ? value.items : [value]) {
    const { text } = node;
    if (text === undefined || ids.has(text) || isDynamic(text)) continue;
    findings.hint(node, 'UNKNOWN_INIT_VALUE', () => `unknown option ${quoted(text)}${didYouMean(text, ids)}`);
  }
}

/** Caches the ids of each list, because several Forms may refer to the same input. */
const idsByList = new WeakMap<JsonNode, ReadonlySet<string> | undefined>();

/** The ids of options; undefined if one of them is dynamic. */
function staticIds(options: JsonNode): ReadonlySet<string> | undefined {
  if (!idsByList.has(options)) {
    const ids = new Set(options.items.map((option) => option.get('id')?.text ?? ''));
    idsByList.set(options, [...ids].some(isDynamic) ? undefined : ids);
  }
  return idsByList.get(options);
}

function hintRepeatedIds(options: JsonNode | undefined, findings: Findings): void {
  if (options?.kind !== 'array') return;
  const seen = new Map<string, JsonNode>();
  for (const option of options.items) {
    const id = option.get('id');
    if (id?.text === undefined) continue;
    const first = seen.get(id.text);
    if (first) findings.hint(id, 'DUPLICATE_OPTION_ID', () => `duplicate option id ${quoted(id.text!)}`, [first]);
    else seen.set(id.text, id);
  }
}

const isDynamic = (text: string): boolean => isExpression(text) || looksLikeReference(text);
