import { isExpression, looksLikeReference } from '../expression/reference.js';
import { type Findings, quoted } from './findings.js';
import type { JsonNode } from './json-node.js';
import { didYouMean } from './nearest.js';

/** Advises on the options of a component, and on what its other properties say of them. */
export function adviseOptions(component: JsonNode, findings: Findings): void {
  for (const key of ['data-source', 'list-items']) adviseRepeatedIds(component.get(key), findings);
  const chosen = component.get('init-value');
  if (chosen) adviseChosen(chosen, component, findings);
  const least = component.get('min-selected-items');
  const options = component.get('data-source');
  if (least?.kind !== 'number' || options?.kind !== 'array') return;
  const count = options.items.length;
  if ((least.value as number) > count) {
    const message = `'min-selected-items' is ${least.value}, but there are only ${count} options, so no choice is enough`;
    findings.hint(least, 'MIN_SELECTED_EXCEEDS_OPTIONS', message);
  }
}

/** Advises when a value that an input begins with is none of its options. Bound options are known only with the data. */
export function adviseChosen(value: JsonNode, component: JsonNode, findings: Findings): void {
  const options = component.get('data-source');
  const ids = options?.kind === 'array' ? staticIds(options) : undefined;
  if (!ids) return;
  for (const node of value.kind === 'array' ? value.items : [value]) {
    const { text } = node;
    if (text === undefined || ids.has(text) || isDynamic(text)) continue;
    findings.hint(node, 'UNKNOWN_INIT_VALUE', () => `there is no option ${quoted(text)}${didYouMean(text, ids)}`);
  }
}

/** By list: several Forms may each name the same input, whose options are read once. */
const idsByList = new WeakMap<JsonNode, ReadonlySet<string> | undefined>();

/** The ids of options; undefined when one of them is known only with the data. */
function staticIds(options: JsonNode): ReadonlySet<string> | undefined {
  if (!idsByList.has(options)) {
    const ids = new Set(options.items.map((option) => option.get('id')?.text ?? ''));
    idsByList.set(options, [...ids].some(isDynamic) ? undefined : ids);
  }
  return idsByList.get(options);
}

function adviseRepeatedIds(options: JsonNode | undefined, findings: Findings): void {
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
