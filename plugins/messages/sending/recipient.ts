import type { NumberRecord, PluginContext } from '#core';
import { networkId } from '#core/areas';
import { RecipientNotValid } from '../errors.js';

/** Returns the id and address of a recipient; on a channel those of the contact, if it is known. @throws RecipientNotValid */
export async function recipientOf(
  { contacts }: Pick<PluginContext, 'contacts'>,
  number: NumberRecord,
  to: string,
): Promise<{ id: string; address: string }> {
  if (number.kind === 'channel') return (await contacts.find(number, to)) ?? { id: to, address: to };
  const id = networkId(to);
  // The network gives contacts without a phone number an id of another form.
  const known = id === undefined ? await contacts.find(number, to) : undefined;
  if (known) return { id: known.id, address: known.address };
  if (id === undefined) throw new RecipientNotValid(`${JSON.stringify(to)} is not an international phone number`);
  return { id, address: id };
}
