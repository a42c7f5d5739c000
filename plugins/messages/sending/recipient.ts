import type { NumberRecord, PluginContext } from '#core';
import { networkId } from '#core/areas';
import { RecipientNotValid } from '../errors.js';

/** The id and address of a recipient; on a channel those of a known contact, or of a new one. @throws RecipientNotValid */
export async function recipientOf(
  { contacts }: Pick<PluginContext, 'contacts'>,
  number: NumberRecord,
  to: string,
): Promise<{ id: string; address: string }> {
  if (number.kind === 'channel') return (await contacts.find(number, to)) ?? { id: to, address: to };
  const id = networkId(to);
  if (id === undefined) throw new RecipientNotValid(`${JSON.stringify(to)} is not an international phone number`);
  return { id, address: id };
}
