import { isDay } from './check-format.js';
import type { Findings } from './findings.js';
import type { JsonNode } from './json-node.js';

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/**
 * Hints at an initial day, or at the first and last day of an initial range, that a DatePicker or CalendarPicker does not offer.
 * Dynamic and malformed days are skipped, also among the bounds.
 */
export function hintUnavailableDays(value: JsonNode, component: JsonNode, findings: Findings): void {
  const type = component.get('type')?.text;
  if (type !== 'DatePicker' && type !== 'CalendarPicker') return;
  const days = value.kind === 'object' ? value.items : [value];
  for (const node of days) {
    const day = dayOf(node);
    const problem = day === undefined ? undefined : unavailable(day, component);
    if (problem !== undefined) findings.hint(node, 'UNAVAILABLE_INIT_VALUE', `the initial day ${day} ${problem}`);
  }
  const [start, end] = [dayOf(value.get('start-date')), dayOf(value.get('end-date'))];
  if (start !== undefined && end !== undefined && start > end) {
    findings.hint(value, 'UNAVAILABLE_INIT_VALUE', `the initial 'start-date' (${start}) is after the 'end-date' (${end})`);
  }
}

const dayOf = (node: JsonNode | undefined): string | undefined => (node?.text !== undefined && isDay(node.text) ? node.text : undefined);

function unavailable(day: string, component: JsonNode): string | undefined {
  const min = dayOf(component.get('min-date'));
  if (min !== undefined && day < min) return `is before 'min-date' (${min})`;
  const max = dayOf(component.get('max-date'));
  if (max !== undefined && day > max) return `is after 'max-date' (${max})`;
  if (textsOf(component.get('unavailable-dates')).has(day)) return "is one of 'unavailable-dates'";
  const included = textsOf(component.get('include-days'));
  const weekday = WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()]!;
  return included.size > 0 && !included.has(weekday) ? `is a ${weekday}, which is not in 'include-days'` : undefined;
}

/** Caches the texts of each list, because several Forms may have an initial value for the same input. */
const textsByList = new WeakMap<JsonNode, ReadonlySet<string>>();

function textsOf(list: JsonNode | undefined): ReadonlySet<string> {
  if (list?.kind !== 'array') return new Set();
  const cached = textsByList.get(list);
  if (cached) return cached;
  const texts = new Set(list.items.flatMap(({ text }) => text ?? []));
  textsByList.set(list, texts);
  return texts;
}
