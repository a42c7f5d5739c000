import type { MessageRecord, NumberRecord } from '#core';
import { flag } from '../../components/shell-words.js';
import { isChannel, type Posting, postedFor, type Sender, sendCommand, textFlags } from './contact-messages.js';
import { contentOf, idOf } from './content.js';

/** The body that was posted for a message of a contact: exact for messages of this browser, otherwise as a connector posts this record. */
export function postingFor(
  message: MessageRecord,
  number: NumberRecord,
  contact: Sender,
): { readonly posting: Posting; readonly isExact: boolean } {
  const known = postedFor(message);
  if (known) return { posting: known, isExact: true };
  const { type, from, timestamp, content, context } = message;
  const command = sendCommand(number, contact, flagsOfRecord(message), contentOf(message).reaction?.message_id ?? context?.id);
  const shared = { type, ...(context?.id !== undefined && { context: { id: context.id } }), ...content };
  const posting = isChannel(number)
    ? {
        path: `/channels/${number.uuid}/messages`,
        connectorPath: `/v1/numbers/${number.uuid}/messages`,
        payload: {
          contact: { id: contact.id, profile: { name: contact.name } },
          message: { from, id: idOf(message), timestamp, ...shared },
        },
      }
    : { path: `/network/numbers/${number.uuid}/messages`, payload: { from, name: contact.name, id: idOf(message), timestamp, ...shared } };
  return { posting: { ...posting, ...command }, isExact: false };
}

function flagsOfRecord(message: MessageRecord): readonly string[] | undefined {
  const { text, location, contacts, reaction, interactive } = contentOf(message);
  if (text?.body !== undefined) return textFlags(text.body);
  if (reaction) return flag('reaction', reaction.emoji || 'none');
  if (interactive?.button_reply) return flag('button', interactive.button_reply.title);
  if (interactive?.list_reply) return flag('list', interactive.list_reply.title);
  if (location && location.address === undefined)
    return [`--location=${location.latitude},${location.longitude}`, ...textFlags(location.name ?? '')];
  const [card, ...others] = contacts ?? [];
  const [phone, ...otherPhones] = card?.phones ?? [];
  const isSimple =
    others.length === 0 && otherPhones.length === 0 && card?.name?.formatted_name !== undefined && phone?.phone !== undefined;
  return isSimple ? flag('contact', `${card.name.formatted_name},${phone.phone}`) : undefined;
}
