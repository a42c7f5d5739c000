import { setImmediate } from 'node:timers/promises';
import { InvalidRequest, type JsonObject, type NumberRecord, type PluginContext, type Route, route, type TypeOf } from '#core';
import { contactsOf, historyMessage, statusBody } from '#core/messaging';
import { errorsWithMeta } from '../schemas.js';
import { cursorOf, type Export, type ExportKind, type ExportPosition, exportKinds, MAX_PAGE, readCursor } from './cursor.js';
import { createPlaces } from './places.js';
import { createdCursor, cursorParams, exportedPage, newMessageCursor, newStatusCursor } from './schemas.js';
import { type Scrubbing, scrubbingOf } from './scrubbing.js';

const CURSOR_MS = 24 * 60 * 60 * 1000;
/** Clocks of clients are fast by up to this. */
const AHEAD_MS = 60 * 1000;
const DEFAULT_SIZE = 100;

/** Routes that export the messages and statuses of a number, page by page. @param hashKey of the hashes of scrubbing rules, by account */
export function dataRoutes(context: PluginContext, hashKey: (number: NumberRecord) => string): Route[] {
  const { clock } = context;
  const nextPlaces = createPlaces(context);
  const expiry = () => clock.now().getTime() + CURSOR_MS;

  return exportKinds.flatMap((kind): Route[] => [
    route({
      method: 'POST',
      path: `/v1/data/${kind}/cursor`,
      summary: `Begins an export of the ${kind} of the number from a range of time, and returns the cursor of its first page.`,
      keepsNothing: true,
      request: { payload: kind === 'messages' ? newMessageCursor : newStatusCursor },
      responses: { 201: createdCursor, 400: errorsWithMeta },
      handler({ payload, caller: { number } }, h) {
        const expires = expiry();
        const created = { ...exportOf(kind, payload as TypeOf<typeof newMessageCursor>), number: number.uuid, expires, after: null };
        if (created.rules) scrubbingOf(created.rules, hashKey(number));
        const expires_at = new Date(expires).toISOString().replace('Z', '000Z');
        return h.response({ cursor: cursorOf(created), expires_at }).code(201);
      },
    }),
    route({
      method: 'GET',
      path: `/v1/data/${kind}/cursor/{cursor}`,
      summary: `Returns a page of an export of ${kind}; \`paging.next\` is the cursor of the next page, and \`paging\` is null on the last one.`,
      request: { params: cursorParams },
      responses: { 200: exportedPage, 400: errorsWithMeta, 404: errorsWithMeta },
      async handler({ params: { cursor }, caller: { number } }) {
        const asked = readCursor(cursor, { number: number.uuid, kind, now: clock.now().getTime() });
        const places = await nextPlaces(asked);
        const page = places.slice(0, asked.size);
        const next = places.length > page.length ? { next: cursorOf({ ...asked, expires: expiry(), after: page.at(-1)! }) } : null;
        return { data: await itemsAt(number, asked, page), paging: next };
      },
    }),
  ]);

  function exportOf(
    kind: ExportKind,
    { from, until, ordering = 'asc', page_size: size = DEFAULT_SIZE, scrubbing_rules: rules }: TypeOf<typeof newMessageCursor>,
  ): Omit<Export, 'number' | 'expires' | 'after'> {
    const now = clock.now().getTime();
    const range = { from: timeOf('from', from), until: timeOf('until', until) };
    if (range.until > now + AHEAD_MS) refuse('until', 'must not be in the future');
    if (range.from > range.until) refuse('from', 'must not be after until');
    if (Number(size) < 1) refuse('page_size', 'must be at least 1');
    if (kind === 'statuses' && rules !== undefined) refuse('scrubbing_rules', 'is not available for statuses');
    const page = { isDescending: ordering === 'desc', size: Math.min(Number(size), MAX_PAGE) };
    return { kind, from: range.from, until: Math.min(range.until, now), ...page, rules: rules ?? null };
  }

  async function itemsAt(number: NumberRecord, { kind, rules }: Export, page: readonly ExportPosition[]): Promise<JsonObject[]> {
    const scrubbing = rules && scrubbingOf(rules, hashKey(number));
    const items: JsonObject[] = [];
    for (const place of page) {
      const item = await itemAt(number, kind, place, scrubbing);
      if (item) items.push(item);
      // Regular expressions run on this thread.
      if (scrubbing) await setImmediate();
    }
    return items;
  }

  /** Undefined if the message was deleted meanwhile. */
  async function itemAt(number: NumberRecord, kind: ExportKind, { uuid, n }: ExportPosition, scrubbing: Scrubbing | null) {
    const message = await context.messages.get(uuid);
    if (!message) return undefined;
    if (kind === 'statuses') return message.statuses[n] && (statusBody(number, message, message.statuses[n]) as JsonObject);
    const shown = await historyMessage(context.media, message);
    const contact = message.direction === 'inbound' ? await context.contacts.get(message.contact) : undefined;
    const item: JsonObject =
      message.direction === 'outbound' ? shown : { ...(contact && { contacts: contactsOf(context.dialect, contact) }), messages: [shown] };
    return scrubbing ? scrubbing[message.direction](item) : item;
  }
}

const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?\s*(Z|[+-]\d{2}:?\d{2})?$/i;

/** Reads the spellings of clients: `2026-01-05T08:00:00.123456+00:00`, `2026-01-05 08:00`. @returns milliseconds */
function timeOf(field: string, text: string): number {
  const [, date, time = '00:00', zone = 'Z'] = TIME.exec(text) ?? [];
  const at = Date.parse(`${date}T${time}${zone.toUpperCase().replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')}`);
  return Number.isNaN(at) ? refuse(field, 'must be a date-time, such as 2026-01-05T08:00:00Z') : at;
}

function refuse(field: string, what: string): never {
  throw new InvalidRequest([{ path: [field], rule: 'any.invalid', message: `${field} ${what}` }]);
}
