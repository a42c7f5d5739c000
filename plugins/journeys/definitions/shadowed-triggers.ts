import { codes } from '../engine/lint/codes.js';
import type { Finding } from '../engine/lint/finding.js';
import { foldedWord, isAvailable, type JourneyRecord, type Trigger } from './journey.js';

/** A trigger of a journey, by its position among the triggers of the journey. */
export interface TriggerOfJourney {
  readonly journey: JourneyRecord;
  readonly position: number;
}

/** Warns about triggers that never start their journey, because another journey of the number starts for every message that matches. */
export function shadowedTriggers(journey: JourneyRecord, ofNumber: readonly JourneyRecord[]): readonly Finding[] {
  return journey.triggers.flatMap(({ on }, position) => {
    const shadow = shadowOf({ journey, position }, ofNumber);
    if (!shadow) return [];
    const message = `trigger ${position + 1} ('${on}') never starts this journey: '${shadow.journey.name}' starts first for every such message`;
    return { severity: codes.shadowed_trigger.severity, code: 'shadowed_trigger', path: '', message, fix: codes.shadowed_trigger.fix };
  });
}

/** The trigger of another available journey that comes first for every message that a trigger matches; undefined if there is none. */
export function shadowOf({ journey, position }: TriggerOfJourney, ofNumber: readonly JourneyRecord[]): TriggerOfJourney | undefined {
  const trigger = journey.triggers[position]!;
  const others = ofNumber.filter((other) => other.uuid !== journey.uuid && isAvailable(other));
  const earlier = others.filter(({ order }) => order < journey.order);
  const first = (kind: Trigger['on'], journeys: readonly JourneyRecord[]): TriggerOfJourney | undefined => {
    for (const other of journeys) {
      const at = other.triggers.findIndex((one) => one.on === kind && matchesAll(one, trigger));
      if (at >= 0) return { journey: other, position: at };
    }
    return undefined;
  };
  // Older journeys take precedence, and over `catch_all` every other trigger.
  if (trigger.on === 'message') return first('message', earlier);
  if (trigger.on === 'first_message') return first('message', earlier) ?? first('first_message', earlier);
  return first('message', others) ?? first('catch_all', earlier);
}

/** Whether a trigger matches every text that another one matches. */
function matchesAll({ words, when }: Trigger, other: Trigger): boolean {
  if (when !== undefined) return false;
  if (!words) return true;
  const known = new Set(words.map(foldedWord));
  return other.words?.every((word) => known.has(foldedWord(word))) ?? false;
}
