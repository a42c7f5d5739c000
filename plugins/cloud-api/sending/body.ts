import { type ContactRecord, type JsonObject, type MessageRecord, type PluginContext, withoutUndefined } from '#core';
import { fromLegacy, type LegacyTemplate, MEDIA_SCHEME } from '#core/messaging';
import { type TemplateExtra, templateExtras, templateKey } from '../records.js';
import type { Uploads } from './uploads.js';

type GraphObject = Readonly<Record<string, unknown>>;

const FILES = new Set(['image', 'audio', 'video', 'document', 'sticker']);
const WITH_CAPTION = new Set(['image', 'video', 'document']);
const PHONE = /^\+?\d{5,20}$/;

/** The body of a message, and what became of its parts. */
export interface Body {
  readonly body: JsonObject;
  /** Keys of earlier uploads that it uses. */
  readonly reused: readonly string[];
  /** Parts that the network has no form for, each with the reason. */
  readonly omitted: readonly string[];
}

/** Converts messages to the network's form. Uploads their media files. */
export function createBodies({ store, messages }: Pick<PluginContext, 'store' | 'messages'>, uploads: Uploads) {
  return {
    /** The body of `POST /{phone-number-id}/messages`. @throws NotFound, GraphError, ServiceUnreachable when a file cannot be uploaded */
    async of(message: MessageRecord, { address }: Pick<ContactRecord, 'address'>): Promise<Body> {
      const reused = new Set<string>();
      const omitted: string[] = [];
      const { type, content } = await contentOf(message, async (id, filename) => {
        const upload = await uploads.of(message.number, id, filename);
        if (upload.isReused) reused.add(upload.key);
        return upload.id;
      });
      const { policy } = ((message.content[message.type] as GraphObject).language ?? {}) as { policy?: unknown };
      if (policy === 'fallback') omitted.push('the language policy fallback: the network sends a template only in the given language');
      const quoted = message.context?.id === undefined ? undefined : await idAtNetwork(message.number, message.context.id);
      if (message.context?.id !== undefined && quoted === undefined)
        omitted.push('the quoted message: the network has not accepted it from this number');
      const body = {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        // Contacts that hide their phone number have only an id of the network.
        ...(PHONE.test(address) ? { to: address.replace(/^\+/, '') } : { recipient: address }),
        type,
        [type]: content as JsonObject,
        ...(quoted !== undefined && { context: { message_id: quoted } }),
        biz_opaque_callback_data: message.uuid,
      };
      return { body, reused: [...reused], omitted };
    },

    /** The network's id of a message, from the id that clients know; undefined if the network has not accepted it. */
    idAtNetwork,
  };

  async function contentOf(message: MessageRecord, upload: UploadFile): Promise<{ type: string; content: unknown }> {
    const { type, number, posted } = message;
    const part = message.content[type] as GraphObject;
    if (type === 'text') return { type, content: { body: part.body, preview_url: posted?.preview_url ?? false } };
    if (FILES.has(type)) return { type, content: await fileOf(type, part, upload) };
    if (type === 'interactive') return { type, content: await interactiveOf(part, upload) };
    if (type === 'template' || type === 'hsm') {
      const template = type === 'hsm' ? (fromLegacy(part as unknown as LegacyTemplate) as unknown as GraphObject) : part;
      const { code } = template.language as { code: string };
      const extra = await store.open(templateExtras).get(templateKey(number, { name: String(template.name), language: code }));
      return { type: 'template', content: await templateOf(template, upload, extra?.names) };
    }
    if (type === 'reaction') {
      const id = String(part.message_id);
      return { type, content: { message_id: (await idAtNetwork(number, id)) ?? id, emoji: part.emoji ?? '' } };
    }
    return { type, content: part };
  }

  async function idAtNetwork(number: string, id: string): Promise<string | undefined> {
    // Messages of contacts have the network's id everywhere.
    if (await messages.known(number, 'inbound', id)) return id;
    const sent = (await messages.known(number, 'outbound', id)) ?? (await messages.get(id));
    if (sent?.number !== number) return undefined;
    if (sent.direction === 'inbound') return sent.external_id;
    return (await messages.remoteIdsOf(sent.uuid))[0];
  }
}

/** Converts messages to the network's form. */
export type Bodies = ReturnType<typeof createBodies>;

/** Uploads a media file. @returns its id at the network */
type UploadFile = (id: string, filename: string | undefined) => Promise<string>;

async function fileOf(kind: string, { id, link, caption, filename, voice }: GraphObject, upload: UploadFile): Promise<GraphObject> {
  const name = typeof filename === 'string' ? filename : undefined;
  const own =
    typeof id === 'string' ? id : typeof link === 'string' && link.startsWith(MEDIA_SCHEME) ? link.slice(MEDIA_SCHEME.length) : undefined;
  return withoutUndefined({
    ...(own === undefined ? { link } : { id: await upload(own, name) }),
    caption: WITH_CAPTION.has(kind) && caption !== '' && caption !== null ? caption : undefined,
    filename: kind === 'document' ? name : undefined,
    voice: kind === 'audio' && voice === true ? true : undefined,
  });
}

async function interactiveOf(part: GraphObject, upload: UploadFile): Promise<GraphObject> {
  const header = part.header as GraphObject | undefined;
  const kind = String(header?.type);
  if (!header || !FILES.has(kind)) return part;
  return { ...part, header: { type: kind, [kind]: await fileOf(kind, header[kind] as GraphObject, upload) } };
}

/** @param names of the template's placeholders; clients see numbers, but the network wants the names of such placeholders */
async function templateOf(
  { name, language, components }: GraphObject,
  upload: UploadFile,
  names?: TemplateExtra['names'],
): Promise<GraphObject> {
  const { code } = language as { code: string };
  const filled = ((components ?? []) as readonly GraphObject[]).map(async ({ parameters, type, sub_type, index }) => {
    const kind = String(type).toLowerCase();
    const own = kind === 'header' || kind === 'body' ? names?.[kind] : undefined;
    return {
      type: kind,
      ...(sub_type !== undefined && { sub_type: String(sub_type).toLowerCase() }),
      ...(index !== undefined && { index: String(index) }),
      parameters: await Promise.all(
        ((parameters ?? []) as readonly GraphObject[]).map(async (one, at) => ({
          ...(own?.[at] !== undefined && { parameter_name: own[at] }),
          ...(await parameterOf(one, upload)),
        })),
      ),
    };
  });
  // The converter of old templates, and turns of journeys, have components without parameters, which mean nothing.
  const all = (await Promise.all(filled)).filter(({ parameters }) => parameters.length > 0);
  return { name, language: { code }, ...(all.length > 0 && { components: all }) };
}

async function parameterOf(parameter: GraphObject, upload: UploadFile): Promise<GraphObject> {
  const kind = String(parameter.type).toLowerCase();
  const file = parameter[kind];
  if (!FILES.has(kind) || typeof file !== 'object' || file === null) return { ...parameter, type: kind };
  return { ...parameter, type: kind, [kind]: await fileOf(kind, file as GraphObject, upload) };
}
