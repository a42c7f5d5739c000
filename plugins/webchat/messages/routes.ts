import { anyStringUpTo, type MessageRecord, NotFound, object, PlatformError, type Route, route, string, stringUpTo } from '#core';
import { turnParts } from '#core/messaging';
import { uuidInPath } from '#core/schemas';
import { numberParams, visitOf, visitorRoute, type WebchatParts } from '../parts.js';
import { uploads } from '../records.js';
import { postedFile } from '../schemas.js';
import { MAX_BYTES } from './driver.js';
import { sniffedType } from './file-types.js';

/** Phones upload slowly. */
const ARRIVAL_MS = 120_000;
const UPLOAD_MS = 60 * 60 * 1000;
const FETCH_MS = 20_000;
/** Messages that are searched for a file whose URL is not signed. */
const SEARCHED = 200;
/** Browsers show these; others are saved. None of them can contain a script. */
const SHOWN = /^(image\/(png|jpeg|gif|webp)|(audio|video)\/[\w.+-]+)$/;

/** Separators of paths, controls, halves of characters, and what turns the direction of a name, so that its end is not where it seems to be. */
const NOT_IN_NAMES = /[/\\\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu;

/** Files of visitors, and files that are shown to them. */
export function fileRoutes(parts: WebchatParts): Route[] {
  const { context, webchats, sessions, pages, links, metrics } = parts;
  const { store, media, messages, uploads: fetched, conversations, clock, callLimit } = context;
  const ofVisitor = callLimit({ name: 'webchat files', calls: 5, minutes: 10 });
  const of = visitorRoute(parts);

  return [
    route({
      ...of,
      method: 'POST',
      path: '/webchat/{number}/files',
      summary: 'Stores a file that the visitor can send within an hour. Its type is found by its bytes.',
      body: 'bytes',
      maxBytes: MAX_BYTES,
      arrivalMs: ARRIVAL_MS,
      async admit({ params: { number = '' }, request }) {
        const { session, settings } = await visitOf(parts, number.toLowerCase(), request);
        if (!settings.upload) throw new PlatformError(403, 'webchat_upload_off', 'Visitors of this web chat cannot send files');
        ofVisitor.count(`${session.number} ${session.visitor}`);
      },
      request: { params: numberParams, query: object({}, { name: anyStringUpTo(240), type: anyStringUpTo(200) }) },
      responses: { 200: postedFile },
      errors: [401, 415, 429],
      async handler({ params: { number: uuid }, query, payload, request }) {
        const { number, session } = await visitOf(parts, uuid, request);
        const bytes = payload as Uint8Array;
        const { name, type: stated } = { name: query.name || 'file', type: query.type ?? '' };
        const type = sniffedType(bytes, name, stated);
        if (type === undefined) {
          metrics.refused({ what: 'file' });
          throw new PlatformError(415, 'webchat_file_refused', 'Files of this type are not accepted');
        }
        const filename = name.replace(NOT_IN_NAMES, '_');
        const { id, size } = await media.put(number.uuid, bytes, { mimeType: type, filename });
        const expires_at = new Date(clock.now().getTime() + UPLOAD_MS).toISOString();
        await store.transaction((tx) => tx.in(uploads).put({ id, number: number.uuid, visitor: session.visitor, expires_at }));
        return { id, url: links.urlOf(number.uuid, id), type, name: filename, size };
      },
    }),
    route({
      ...of,
      method: 'GET',
      path: '/webchat/{number}/files/{file}',
      summary: 'A file of a message of the visitor, by its signed URL or with the token of the session.',
      request: { params: object({ number: uuidInPath(), file: stringUpTo(64) }), query: object({}, { token: string() }) },
      responses: { 200: { contentType: 'application/octet-stream' } },
      errors: [401],
      async handler({ params: { number: uuid, file }, query: { token }, request }, h) {
        await webchats.require(uuid);
        const isSigned = token !== undefined && links.isValid(uuid, file, token);
        const found = (isSigned || (await isOwn(uuid, file, token, request))) && (await read(uuid, file));
        if (!found) throw new NotFound('file', file, 'webchat_file_unknown');
        const isShown = SHOWN.test(found.type);
        const plain = encodeURIComponent(found.filename.replace(NOT_IN_NAMES, '_'));
        const name = plain.replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
        return h
          .response(Buffer.from(found.bytes))
          .type(isShown ? found.type : 'application/octet-stream')
          .header('content-disposition', `${isShown ? 'inline' : 'attachment'}; filename*=UTF-8''${name}`)
          .header('content-security-policy', "default-src 'none'; sandbox")
          .header('cross-origin-resource-policy', 'cross-origin')
          .header('cache-control', 'private, max-age=86400, immutable');
      },
    }),
  ];

  /** Whether a file is in a message of the visitor, or was uploaded by it. */
  async function isOwn(uuid: string, file: string, token: string | undefined, request: Parameters<typeof visitOf>[2]): Promise<boolean> {
    const session = (await sessions.of(uuid, token)) ?? (await visitOf(parts, uuid, request)).session;
    const uploaded = await store.open(uploads).get(file);
    if (uploaded?.number === uuid && uploaded.visitor === session.visitor) return true;
    const conversation = await pages.conversationOf(session);
    const recent = conversation ? await conversations.newest(conversation.uuid, SEARCHED) : [];
    return recent.some((message) => message.uuid === file || fileOf(message)?.id === file);
  }

  /** The file of the platform with this id, or the foreign one of the message with this uuid. */
  async function read(uuid: string, file: string) {
    const limits = { maxBytes: MAX_BYTES, deadlineMs: FETCH_MS };
    if ((await media.about(file))?.number === uuid) return fetched.read({ id: file, link: '' }, limits);
    const message = await messages.get(file);
    const foreign = message?.number === uuid && message.direction === 'outbound' ? fileOf(message) : undefined;
    return foreign && fetched.read(foreign, limits);
  }
}

function fileOf({ direction, type, content }: MessageRecord) {
  if (direction === 'inbound') return content[type] as { readonly id?: string; readonly link: string } | undefined;
  return type === 'template' ? undefined : turnParts({ type, ...content } as never)?.file;
}
