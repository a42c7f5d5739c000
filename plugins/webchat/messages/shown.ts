import { createHmac } from 'node:crypto';
import { isSameSecret, type MessageRecord, type NumberRecord, type PluginContext, type TypeOf, withoutUndefined } from '#core';
import { parseMarkdown, turnParts } from '#core/messaging';
import type { shownMessage } from '../schemas.js';

/** A message as its visitor sees it: without operators, notes, journeys and what webhooks know. */
export type ShownMessage = TypeOf<typeof shownMessage>;

/** Signs the URLs of files that were shown to a visitor: a caller with such a URL may read the file as long as it is stored. */
export function createFileLinks(key: () => string) {
  const tokenOf = (number: string, file: string): string => createHmac('sha256', key()).update(`${number} ${file}`).digest('base64url');
  return {
    urlOf: (number: string, file: string): string => `files/${file}?token=${tokenOf(number, file)}`,
    isValid: (number: string, file: string, token: string): boolean => isSameSecret(token, tokenOf(number, file)),
  };
}

export type FileLinks = ReturnType<typeof createFileLinks>;

/** Whether visitors see a message: entries of the platform in the history are for operators. */
export const isShown = ({ direction, type }: MessageRecord): boolean =>
  direction === 'inbound' ? type !== 'unsupported' : type !== 'system' && type !== 'reaction';

export function createShown({ media, forms, publicUrl }: Pick<PluginContext, 'media' | 'forms' | 'publicUrl'>, links: FileLinks) {
  return {
    /** Messages as their visitor sees them. `later` are messages after the last one, in which a choice may be. */
    async all(number: NumberRecord, page: readonly MessageRecord[], later: readonly MessageRecord[] = []): Promise<ShownMessage[]> {
      const chosen = choicesIn([...page, ...later]);
      return Promise.all(page.filter(isShown).map((message) => shown(number, message, chosen)));
    },
  };

  async function shown(number: NumberRecord, message: MessageRecord, chosen: ReadonlyMap<string, string>): Promise<ShownMessage> {
    const { uuid, position, direction, external_id, recorded_at, type, status, read_at, author, context } = message;
    const isInbound = direction === 'inbound';
    const parts = isInbound ? await inbound(number, message) : await outbound(number, message, chosen.get(external_id ?? uuid));
    return withoutUndefined({
      ...{ position, id: uuid, direction: isInbound ? ('in' as const) : ('out' as const), at: recorded_at, type },
      ...(isInbound && { client_id: external_id }),
      ...parts,
      context: context?.id,
      status: isInbound ? (read_at === undefined ? 'sent' : 'read') : (status ?? 'sent'),
      author: isInbound ? undefined : author.type === 'OPERATOR' ? ('operator' as const) : ('bot' as const),
    }) as ShownMessage;
  }

  /** The URL of the form of a message, if it is still open. Relative, as those of files: the widget knows the address of the platform. */
  async function formUrl(message: string): Promise<string | undefined> {
    return (await forms.linkOf(message))?.replace(publicUrl(), '../..');
  }

  async function inbound({ uuid }: NumberRecord, { type, content }: MessageRecord): Promise<Partial<ShownMessage>> {
    const part = (content[type] ?? {}) as Readonly<Record<string, unknown>>;
    if (type === 'text') return { text: plain(String(part.body ?? '')) };
    const reply = (part.button_reply ?? part.list_reply) as { readonly title?: string } | undefined;
    if (reply) return { text: plain(reply.title ?? '') };
    if (part.nfm_reply) return { form: {} };
    const { id, mime_type, filename, caption } = part;
    if (typeof id !== 'string') return {};
    const file = await media.about(id);
    return {
      file: withoutUndefined({
        url: links.urlOf(uuid, id),
        type: String(mime_type),
        kind: type,
        name: typeof filename === 'string' ? filename : undefined,
        size: file?.size,
        caption: typeof caption === 'string' ? plain(caption) : undefined,
      }),
    };
  }

  async function outbound(
    { uuid: number }: NumberRecord,
    { uuid, type, content, rendered }: MessageRecord,
    chosen: string | undefined,
  ): Promise<Partial<ShownMessage>> {
    const part = content[type] as Readonly<Record<string, unknown>>;
    const turn = type === 'template' ? { template: part } : { type, [type]: part };
    const parts = turnParts(turn as never, rendered);
    if (!parts) return {};
    const { header, footer, file, form } = parts;
    const options = optionsOf(parts.sections);
    const caption = part.caption as string | undefined;
    const known = file?.id === undefined ? undefined : await media.about(file.id);
    const body = bodyOf(type, part, rendered);
    return withoutUndefined({
      text: body === undefined || body === '' ? undefined : { body, spans: type === 'template' ? plain(body).spans : parseMarkdown(body) },
      header: header.text || undefined,
      footer: footer.text || undefined,
      file:
        file &&
        withoutUndefined({
          url: links.urlOf(number, file.id ?? uuid),
          type: known?.mime_type ?? file.mime_type ?? 'application/octet-stream',
          kind: file.kind,
          name: file.filename ?? known?.filename ?? undefined,
          size: known?.size,
          caption: caption ? { body: caption, spans: parseMarkdown(caption) } : undefined,
        }),
      options: options.length > 0 ? options : undefined,
      list_button: (part.action as { readonly button?: string } | undefined)?.button,
      form: form && withoutUndefined({ cta: String(form.flow_cta ?? ''), url: await formUrl(uuid) }),
      chosen: chosen === undefined ? undefined : options.find(({ id }) => id === chosen)?.key,
    });
  }
}

/** The options of a message, numbered from 0 through all sections. */
export function optionsOf(sections: NonNullable<ReturnType<typeof turnParts>>['sections']) {
  return sections
    .flatMap(({ title: section, options }) => options.map((option) => ({ ...option, section })))
    .map(({ id, title, description, section }, key) => withoutUndefined({ key, id, title, description, section: section || undefined }));
}

function bodyOf(type: string, part: Readonly<Record<string, unknown>>, rendered: string | undefined): string | undefined {
  if (type === 'template') return rendered;
  if (type === 'text') return part.body as string;
  return type === 'interactive' ? (part.body as { readonly text?: string } | undefined)?.text : undefined;
}

/** A text that is not Markdown, such as one of a visitor. */
const plain = (body: string) => ({ body, spans: [{ type: 'text' as const, text: body }] });

/** The ids of chosen options, by the id of the message that offered them. */
function choicesIn(messages: readonly MessageRecord[]): ReadonlyMap<string, string> {
  return new Map(
    messages.flatMap(({ direction, type, content, context }) => {
      if (direction !== 'inbound' || type !== 'interactive' || context?.id === undefined) return [];
      const { button_reply, list_reply } = content.interactive as Readonly<Record<string, { readonly id: string } | undefined>>;
      const id = (button_reply ?? list_reply)?.id;
      return id === undefined ? [] : [[context.id, id] as const];
    }),
  );
}
