import { Conflict, printable } from '../errors.js';
import type { MessageRecord } from './message.js';
import type { Messages } from './messages.js';
import type { Numbers } from './numbers.js';

const DIRECTIONS = ['outbound', 'inbound'] as const;

/**
 * Finds a message of any number by its uuid, or by the id that the network or a connector gave it.
 * @throws Conflict when several messages have this id, as ids of connectors are unique within one number only
 */
export async function findMessage(
  { numbers, messages }: { numbers: Pick<Numbers, 'list'>; messages: Pick<Messages, 'get' | 'known'> },
  id: string,
): Promise<MessageRecord | undefined> {
  const own = await messages.get(id.toLowerCase());
  if (own) return own;
  const all = await numbers.list();
  const lookups = all.flatMap(({ uuid }) => DIRECTIONS.map((direction) => messages.known(uuid, direction, id)));
  const [found, ...others] = (await Promise.all(lookups)).filter((message) => message !== undefined);
  if (others.length > 0) {
    throw new Conflict(
      'message_ambiguous',
      `${others.length + 1} messages have the id ${printable(id)}; use the uuid of the message instead`,
    );
  }
  return found;
}
