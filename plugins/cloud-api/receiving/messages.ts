import type { Inbound, JsonObject, NumberRecord, PluginContext } from '#core';
import type { FileKind } from '#core/basics';
import { type NotificationError, networkId } from '#core/messaging';
import { errorsIn, type NetworkError, notificationErrorOf } from '../graph/errors.js';
import type { createMediaFetch, ReceivedFile } from './media.js';
import { timestampOf } from './timestamp.js';

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Types whose content is passed on as the network sends it, and whether a content has the form that clients and journeys rely on. */
const KNOWN = new Map<string, (part: unknown) => boolean>([
  ['text', (part) => isObject(part) && typeof part.body === 'string'],
  ['location', (part) => isObject(part) && typeof part.latitude === 'number' && typeof part.longitude === 'number'],
  ['contacts', (part) => Array.isArray(part) && part.every(isObject)],
  ['reaction', (part) => isObject(part) && typeof part.message_id === 'string' && typeof (part.emoji ?? '') === 'string'],
  ['system', (part) => isObject(part) && text(part.body) !== undefined],
  ...['button', 'interactive'].map((type) => [type, isObject] as const),
]);

const UNSUPPORTED: NetworkError = {
  code: 131051,
  title: 'Unsupported message type',
  error_data: { details: 'Message type is not currently supported' },
};

/** Converts a message of the network to the platform's form. */
export function createInbound({ messages, clock }: Pick<PluginContext, 'messages' | 'clock'>, files: ReturnType<typeof createMediaFetch>) {
  return {
    /**
     * @param fallback the reason why a file is not fetched, after the last attempt
     * @throws GraphError, ServiceUnreachable when a file cannot be fetched now
     */
    async of(number: NumberRecord, message: JsonObject, contact: JsonObject | undefined, fallback?: string): Promise<Inbound> {
      const [from = 'unknown', ...aliases] = idsIn([message.from, contact?.wa_id, message.from_user_id, contact?.user_id]);
      const { type, part, errors } = await contentOf(number, message, fallback);
      const context = await contextOf(number.uuid, message.context);
      const profile = contact?.profile as { name?: unknown } | null | undefined;
      return {
        id: String(message.id),
        from,
        timestamp: timestampOf(message.timestamp, clock.now()),
        type,
        contact: { id: from, name: text(profile?.name), aliases },
        content: part === undefined ? {} : { [type]: part },
        ...(context && { context }),
        ...(errors && { errors }),
        group: text(message.group_id),
      };
    },
  };

  async function contentOf(
    number: NumberRecord,
    message: JsonObject,
    fallback: string | undefined,
  ): Promise<{ type: string; part?: JsonObject[string]; errors?: NotificationError[] }> {
    const type = String(message.type);
    const errors = errorsIn(message.errors);
    const part = message[type];
    if (files.isFile(type) && isObject(part)) {
      const file = await fileOf(number.uuid, type, part, fallback);
      const { voice, animated: _, ...rest } = file.part;
      const shown = type === 'audio' && voice === true ? 'voice' : type;
      return { type: shown, part: rest, ...('error' in file ? { errors: [file.error] } : errors && { errors }) };
    }
    if (part !== undefined && KNOWN.get(type)?.(part)) {
      return { type, part: await shownOf(number.uuid, type, part), ...(errors && { errors }) };
    }
    // Kept for the admin API; webhooks do not get content of an unknown form.
    const { id: _, from: _from, timestamp: _at, errors: _errors, context: _context, group_id: _group, ...raw } = message;
    return { type: 'unsupported', part: raw, errors: errors ?? [notificationErrorOf(UNSUPPORTED)] };
  }

  function fileOf(number: string, type: FileKind, part: JsonObject, fallback: string | undefined): Promise<ReceivedFile> {
    return fallback === undefined ? files.download(number, type, part) : Promise.resolve(files.missing(part, fallback));
  }

  /** A part in the form of the API: reactions name a message by our id, and changes of a number the new one as `new_wa_id`. */
  async function shownOf(number: string, type: string, part: JsonObject[string]): Promise<JsonObject[string]> {
    if (type === 'reaction') {
      const { message_id, emoji } = part as JsonObject;
      return { message_id: await ourId(number, String(message_id)), ...(emoji && { emoji }) };
    }
    if (type !== 'system') return part;
    const { body, type: kind } = part as JsonObject;
    const [changed] = changedIdsIn({ system: part });
    return { body: body!, ...(text(kind) !== undefined && { type: kind! }), ...(changed !== undefined && { new_wa_id: changed }) };
  }

  async function contextOf(number: string, given: JsonObject[string] | undefined): Promise<Inbound['context']> {
    const { id, from, forwarded, frequently_forwarded: often } = isObject(given) ? given : {};
    const context = {
      ...(text(id) !== undefined && { id: await ourId(number, String(id)) }),
      ...(text(from) !== undefined && { from: await senderOf(number, String(id), String(from)) }),
      ...(forwarded === true && { forwarded: true as const }),
      ...(often === true && { frequently_forwarded: true as const }),
    };
    return Object.keys(context).length > 0 ? context : undefined;
  }

  /** The sender as the platform has it: the network writes the number without a plus. */
  async function senderOf(number: string, wamid: string, from: string): Promise<string> {
    return (await messages.byRemoteId(undefined, number, wamid))?.from ?? from;
  }

  /** The id under which clients know a message; that of the network for messages of contacts, and for those that are not ours. */
  async function ourId(number: string, wamid: string): Promise<string> {
    return (await messages.byRemoteId(undefined, number, wamid))?.external_id ?? wamid;
  }
}

/** The new phone number of a contact and then its account, in a message with which the network says that the number has changed. */
export function changedIdsIn({ system }: JsonObject): string[] {
  if (!isObject(system) || system.type !== 'user_changed_number') return [];
  const [phone] = idsIn([system.wa_id, system.new_wa_id]);
  return phone === undefined ? [] : idsIn([phone, system.user_id]);
}

/** The ids of a contact among values of the network, each once: phone numbers as digits. */
export const idsIn = (values: readonly unknown[]): string[] =>
  [...new Set(values.map(text))].flatMap((id) => (id === undefined ? [] : [networkId(id) ?? id]));

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
