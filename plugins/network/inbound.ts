import {
  type ContactRecord,
  type Inbound,
  InvalidRequest,
  type JsonObject,
  type MessageRecord,
  type NumberRecord,
  type PluginContext,
  unixSeconds,
} from '#core';
import { type MessageContext, networkId } from '#core/messaging';
import { UNSUPPORTED } from './errors.js';
import type { PhoneFile, PhoneMessage } from './schemas.js';

const ID_BYTES = 39;
const LOOKBACK = 50;

/**
 * Converts a message of a simulated phone to the network's form. @throws InvalidRequest if it refers to an unknown message or media file
 */
export async function inboundOf(context: PluginContext, number: NumberRecord, sent: PhoneMessage): Promise<Inbound> {
  const { ids, clock, contacts } = context;
  const from = networkId(sent.from);
  if (from === undefined) throw invalid(['from'], `from is not an international phone number: ${JSON.stringify(sent.from)}`);
  const { type, timestamp = unixSeconds(clock.now()), id = `wamid.${ids.secret(ID_BYTES)}` } = sent;
  const contact = await contacts.known(number.uuid, from);
  const { part, offeredIn } = await partOf(context, number, contact, sent);
  const { id: quotes, forwarded, frequently_forwarded } = sent.context ?? {};
  const quoted = quotes === undefined ? offeredIn : await sentOrReceived(context, number, quotes, ['context', 'id']);
  const messageContext: MessageContext = {
    ...(quoted && { id: quotes ?? quoted.external_id ?? quoted.uuid, from: quoted.from }),
    ...(forwarded && { forwarded }),
    ...(frequently_forwarded && { frequently_forwarded }),
  };
  const errors = sent.errors ?? (type === 'unsupported' ? [UNSUPPORTED] : undefined);
  return {
    id,
    from,
    timestamp,
    type,
    contact: { id: from, name: sent.name ?? profileName(context, contact) },
    content: part === undefined ? {} : { [type]: part },
    ...(Object.keys(messageContext).length > 0 && { context: messageContext }),
    ...(errors && { errors }),
  };
}

const invalid = (path: string[], message: string) => new InvalidRequest([{ path, rule: 'any.invalid', message }]);

/** The last profile name of the phone. The contact's `name` would be wrong: clients may have changed it. */
function profileName({ dialect }: PluginContext, contact: ContactRecord | undefined): string {
  const name = contact?.fields[dialect.contactFields.networkProfileName];
  return typeof name === 'string' ? name : 'Sam';
}

async function sentOrReceived({ messages }: PluginContext, number: NumberRecord, id: string, path: string[]): Promise<MessageRecord> {
  const known =
    (await messages.known(number.uuid, 'outbound', id)) ?? (await messages.known(number.uuid, 'inbound', id)) ?? (await messages.get(id));
  if (known?.number !== number.uuid)
    throw invalid(path, `${path.join('.')} is not the id of a message of this number: ${JSON.stringify(id)}`);
  return known;
}

/** Completes the content of a message, and finds the message that offered a tapped option. */
async function partOf(
  context: PluginContext,
  number: NumberRecord,
  contact: ContactRecord | undefined,
  sent: PhoneMessage,
): Promise<{ part: JsonObject[string] | undefined; offeredIn?: MessageRecord | undefined }> {
  const { type } = sent;
  if (type === 'unsupported') return { part: undefined };
  if (type === 'image' || type === 'audio' || type === 'voice' || type === 'video' || type === 'document' || type === 'sticker') {
    return { part: await filePart(context, number, type, sent[type]!) };
  }
  if (type === 'interactive') return tapped(context, number, contact, sent);
  if (type === 'reaction') {
    const { message_id, emoji } = sent.reaction!;
    const { external_id, uuid } = await sentOrReceived(context, number, message_id, ['reaction', 'message_id']);
    return { part: { message_id: external_id ?? uuid, ...(emoji && { emoji }) } };
  }
  return { part: sent[type] as unknown as JsonObject };
}

/** A file as webhooks send it, with a reference that becomes a signed link when the message is delivered. */
async function filePart(
  { media }: Pick<PluginContext, 'media'>,
  number: NumberRecord,
  type: string,
  { id, caption, filename }: PhoneFile,
): Promise<JsonObject> {
  const metadata = await media.about(id);
  if (metadata?.number !== number.uuid)
    throw invalid([type, 'id'], `${type}.id is not the id of a media file of this number: ${JSON.stringify(id)}`);
  return {
    ...media.partOf(metadata),
    ...(filename !== undefined && { filename }),
    ...(caption !== undefined && { caption }),
  };
}

interface Offer {
  readonly type?: string;
  readonly action?: {
    readonly buttons?: readonly { readonly reply: { readonly id: string; readonly title: string } }[];
    readonly sections?: readonly {
      readonly rows: readonly { readonly id: string; readonly title: string; readonly description?: string }[];
    }[];
    readonly parameters?: { readonly flow_token?: string };
  };
}

/**
 * Finds a tapped option in the quoted message, or else in the newest that offers it. @returns the option with its id, and the message
 * @throws InvalidRequest if no message offers it
 */
async function tapped(
  { conversations }: PluginContext,
  number: NumberRecord,
  contact: ContactRecord | undefined,
  sent: PhoneMessage,
): Promise<{ part: JsonObject; offeredIn: MessageRecord | undefined }> {
  const { type, ...interactive } = sent.interactive!;
  const conversation = contact && (await conversations.ofContact(number.uuid, contact.uuid));
  const newest = conversation ? await conversations.newest(conversation.uuid, LOOKBACK) : [];
  const offers = newest.filter((message) => message.direction === 'outbound' && message.type === 'interactive');
  const offerOf = (message: MessageRecord) => message.content.interactive as Offer;

  if (type === 'nfm_reply') {
    const offeredIn = offers.find((message) => offerOf(message).type === 'flow');
    const token = offeredIn && offerOf(offeredIn).action?.parameters?.flow_token;
    const { response, name = 'flow', body = 'Sent' } = interactive.nfm_reply!;
    const response_json = JSON.stringify({ flow_token: token ?? 'unused', ...response });
    return { part: { type, nfm_reply: { name, body, response_json } }, offeredIn };
  }

  const { id, title, description } = interactive[type]!;
  const isQuoted = ({ uuid, external_id }: MessageRecord): boolean => [uuid, external_id].includes(sent.context?.id ?? '');
  for (const offeredIn of offers.toSorted((a, b) => Number(isQuoted(b)) - Number(isQuoted(a)))) {
    const { buttons = [], sections = [] } = offerOf(offeredIn).action ?? {};
    const options =
      type === 'button_reply' ? buttons.map(({ reply }) => ({ ...reply, description: undefined })) : sections.flatMap(({ rows }) => rows);
    const option = options.find((option) => option.title === title && (id === undefined || option.id === id));
    if (!option) continue;
    const described = description ?? option.description;
    return { part: { type, [type]: { id: option.id, title, ...(described !== undefined && { description: described }) } }, offeredIn };
  }
  if (id === undefined)
    throw invalid(['interactive', type, 'title'], `no recent message offers ${JSON.stringify(title)}; to tap it anyway, set its id`);
  return { part: { type, [type]: { id, title, ...(description !== undefined && { description }) } }, offeredIn: undefined };
}
