import { codes } from '../engine/lint/codes.js';
import type { Finding } from '../engine/lint/finding.js';
import { isAvailable, type JourneyRecord, type Trigger } from './journey.js';

/** Warns about triggers that never start their journey, because another journey of the number starts for every message that matches. */
export function shadowedTriggers(journey: JourneyRecord, ofNumber: readonly JourneyRecord[]): readonly Finding[] {
  const others = ofNumber.filter((other) => other.uuid !== journey.uuid && isAvailable(other));
  const earlier = others.filter(({ order }) => order < journey.order);
  return journey.triggers.flatMap(({ on }, i) => {
    const [preceding] = precedingJourneys(on, others, earlier);
    if (!preceding) return [];
    const message = `trigger ${i + 1} ('${on}') never starts this journey: '${preceding.name}' starts first for every such message`;
    return { severity: codes.shadowed_trigger.severity, code: 'shadowed_trigger', path: '', message, fix: codes.shadowed_trigger.fix };
  });
}

/** The journeys that take precedence over a trigger of this kind: older journeys, and for `catch_all` all other triggers. */
function precedingJourneys(
  on: Trigger['on'],
  others: readonly JourneyRecord[],
  earlier: readonly JourneyRecord[],
): readonly JourneyRecord[] {
  const matchingAll = (kind: Trigger['on'], journeys: readonly JourneyRecord[]): readonly JourneyRecord[] =>
    journeys.filter(({ triggers }) => triggers.some((trigger) => trigger.on === kind && !trigger.words && trigger.when === undefined));
  if (on === 'message') return matchingAll('message', earlier);
  if (on === 'first_message') return [...matchingAll('message', earlier), ...matchingAll('first_message', earlier)];
  return [...matchingAll('message', others), ...matchingAll('catch_all', earlier)];
}
