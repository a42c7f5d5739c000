import type { NumberRecord, PluginContext } from '#core';
import { networkId } from '#core/areas';
import { RecipientNotValid } from '../errors.js';

/** Whom a number sends to; on a channel whoever is known by that id or address, or else somebody new. @throws RecipientNotValid */
export async function recipientOf(
  { contacts }: Pick<PluginContext, 'contacts'>,
  number: NumberRecord,
  to: string,
): Promise<{ id: string; address: string }> {
  if (number.kind === 'channel') return (await contacts.named(number, to)) ?? { id: to, address: to };
  const id = networkId(to);
  if (id === undefined) throw new RecipientNotValid(`${JSON.stringify(to)} is no international phone number`);
  return { id, address: id };
}
