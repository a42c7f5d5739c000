import { isAvailable, type JourneyRecord } from '../definitions/journey.js';
import { shadowOf } from '../definitions/shadowed-triggers.js';
import type { TriggerInOrder } from './schemas.js';

/**
 * The triggers of a number in the order in which they are tried: those of the oldest journey first, and `catch_all` triggers last.
 * `first_message` triggers are tried only for the first message of a contact. Triggers of journeys that are disabled or not published
 * have their later place.
 */
export function triggersInOrder(ofNumber: readonly JourneyRecord[]): TriggerInOrder[] {
  const all = ofNumber.flatMap((journey) => journey.triggers.map((trigger, position) => ({ journey, trigger, position })));
  const isLast = ({ trigger }: (typeof all)[number]): boolean => trigger.on === 'catch_all';
  return [...all.filter((one) => !isLast(one)), ...all.filter(isLast)].map(({ journey, trigger, position }) => {
    const shadow = shadowOf({ journey, position }, ofNumber);
    return {
      journey: journey.uuid,
      name: journey.name,
      position,
      trigger,
      not_tried: isAvailable(journey) ? null : journey.enabled ? 'not_published' : 'disabled',
      ...(shadow && { shadowed_by: { journey: shadow.journey.uuid, name: shadow.journey.name, position: shadow.position } }),
    };
  });
}
