import { attemptsOf } from '../../delivery/attempt-record.js';
import type { SettledDeliveries } from '../../delivery/settled-deliveries.js';
import type { AnyDelivery } from '../../delivery/settled-delivery.js';
import { Conflict } from '../../errors.js';

/** The permission for bodies and responses. */
export const BODIES = 'messages.read_bodies';

/** The text of a delivery in which searches look; without its body and responses unless `isBodyShown`. */
export async function deliveryText(settled: Pick<SettledDeliveries, 'bodyOf'>, entry: AnyDelivery, isBodyShown: boolean): Promise<string> {
  const { subscription, state, recipient, reason, last_error, replay_url } = entry.record;
  const about = [subscription, state, recipient, reason, last_error, replay_url];
  if (!isBodyShown) return about.filter(Boolean).join(' · ');
  const responses = attemptsOf(entry).map(({ response }) => response);
  return [...about, await bodyOf(settled, entry), ...responses].filter(Boolean).join(' · ');
}

/** Undefined if the body cannot be restored. */
async function bodyOf(settled: Pick<SettledDeliveries, 'bodyOf'>, entry: AnyDelivery): Promise<string | undefined> {
  try {
    return await settled.bodyOf(entry);
  } catch (error) {
    if (error instanceof Conflict) return undefined;
    throw error;
  }
}
