import type { NumberRecord, PluginContext } from '#core';
import { networkId } from '#core/messaging';
import { RecipientNotValid } from '../errors.js';

/** Returns the id and address of a recipient: those of the contact that has the id in `to`, if it is known. @throws RecipientNotValid */
export async function recipientOf(
  { contacts }: Pick<PluginContext, 'contacts'>,
  number: NumberRecord,
  to: string,
): Promise<{ id: string; address: string }> {
  const known = await contacts.find(number, to);
  if (known) return { id: known.id, address: known.address };
  if (number.kind === 'channel') return { id: to, address: to };
  const id = networkId(to);
  if (id === undefined) throw new RecipientNotValid(`${JSON.stringify(to)} is not an international phone number`);
  return { id, address: id };
}
