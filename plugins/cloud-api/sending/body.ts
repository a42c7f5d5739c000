import { type ContactRecord, type JsonObject, type MessageRecord, type PluginContext, withoutUndefined } from '#core';
import { fromLegacy, type LegacyTemplate, MEDIA_SCHEME } from '#core/areas';
import { networkIds } from '../records.js';
import type { Uploads } from './uploads.js';

type Part = Readonly<Record<string, unknown>>;

const FILES = new Set(['image', 'audio', 'video', 'document', 'sticker']);
const WITH_CAPTION = new Set(['image', 'video', 'document']);
const PHONE = /^\+?\d{5,20}$/;

/** Converts messages to the network's form. Uploads their media files. */
export function createBodies({ store, messages }: Pick<PluginContext, 'store' | 'messages'>, uploads: Uploads) {
  return {
    /** The body of `POST /{phone-number-id}/messages`. @throws GraphError, GraphUnreachable when a file cannot be uploaded */
    async of(message: MessageRecord, { address }: Pick<ContactRecord, 'address'>): Promise<JsonObject> {
      const { type, content } = await contentOf(message);
      const quoted = message.context?.id === undefined ? undefined : await idAtNetwork(message.number, message.context.id);
      return {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        // Contacts that hide their phone number have only an id of the network.
        ...(PHONE.test(address) ? { to: address.replace(/^\+/, '') } : { recipient: address }),
        type,
        [type]: content as JsonObject,
        ...(quoted !== undefined && { context: { message_id: quoted } }),
        biz_opaque_callback_data: message.uuid,
      };
    },

    /** The network's id of a message, from the id that clients know; undefined if the network has not accepted it. */
    idAtNetwork,
  };

  async function contentOf(message: MessageRecord): Promise<{ type: string; content: unknown }> {
    const { type, number, posted } = message;
    const part = message.content[type] as Part;
    if (type === 'text') return { type, content: { body: part.body, preview_url: posted?.preview_url ?? false } };
    if (FILES.has(type)) return { type, content: await fileOf(number, type, part) };
    if (type === 'interactive') return { type, content: await interactiveOf(number, part) };
    if (type === 'template') return { type, content: await templateOf(number, part) };
    if (type === 'hsm')
      return { type: 'template', content: await templateOf(number, fromLegacy(part as unknown as LegacyTemplate) as unknown as Part) };
    if (type === 'reaction') {
      const id = String(part.message_id);
      return { type, content: { message_id: (await idAtNetwork(number, id)) ?? id, emoji: part.emoji ?? '' } };
    }
    return { type, content: part };
  }

  async function fileOf(number: string, kind: string, { id, link, caption, filename }: Part): Promise<Part> {
    const name = typeof filename === 'string' ? filename : undefined;
    const own =
      typeof id === 'string' ? id : typeof link === 'string' && link.startsWith(MEDIA_SCHEME) ? link.slice(MEDIA_SCHEME.length) : undefined;
    return withoutUndefined({
      ...(own === undefined ? { link } : { id: await uploads.idOf(number, own, name) }),
      caption: WITH_CAPTION.has(kind) && caption !== '' && caption !== null ? caption : undefined,
      filename: kind === 'document' ? name : undefined,
    });
  }

  async function interactiveOf(number: string, part: Part): Promise<Part> {
    const header = part.header as Part | undefined;
    const kind = String(header?.type);
    if (!header || !FILES.has(kind)) return part;
    return { ...part, header: { type: kind, [kind]: await fileOf(number, kind, header[kind] as Part) } };
  }

  async function templateOf(number: string, { name, language, components }: Part): Promise<Part> {
    const { code } = language as { code: string };
    const filled = (components as readonly Part[] | undefined)?.map(async ({ parameters, ...component }) => {
      const all = await Promise.all(((parameters ?? []) as readonly Part[]).map((one) => parameterOf(number, one)));
      // The converter of old templates, and turns of journeys, have empty components.
      return { ...component, type: String(component.type).toLowerCase(), parameters: all };
    });
    const all = filled && (await Promise.all(filled)).filter(({ parameters }) => parameters.length > 0);
    return { name, language: { code }, ...(all && all.length > 0 && { components: all }) };
  }

  async function parameterOf(number: string, parameter: Part): Promise<Part> {
    const kind = String(parameter.type).toLowerCase();
    if (!FILES.has(kind)) return parameter;
    return { ...parameter, type: kind, [kind]: await fileOf(number, kind, parameter[kind] as Part) };
  }

  async function idAtNetwork(number: string, id: string): Promise<string | undefined> {
    // Messages of contacts have the network's id everywhere.
    if (await messages.known(number, 'inbound', id)) return id;
    const sent = (await messages.known(number, 'outbound', id)) ?? (await messages.get(id));
    if (sent?.number !== number) return undefined;
    if (sent.direction === 'inbound') return sent.external_id;
    const [first] = await store.open(networkIds).find('message', { equals: [sent.uuid], limit: 1 });
    return first?.wamid;
  }
}

/** Converts messages to the network's form. */
export type Bodies = ReturnType<typeof createBodies>;
