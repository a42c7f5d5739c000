import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Route, route } from '../contract/route.js';
import { createContactExport, type ExportParts } from '../delivery/contact-export.js';
import { erasureSchema, erasureView, listedErasureSchema } from '../delivery/erasure.js';
import type { Erasures } from '../delivery/erasures.js';
import { NotFound } from '../errors.js';
import type { Clock } from '../ports/clock.js';
import { array, boolean, dateTime, integer, object, string } from '../shape.js';

const params = object({ uuid: string() });
const answer = object({ erasure: erasureSchema });
/** Real milliseconds that a call waits for an erasure. */
const WAIT_MS = 10_000;

export interface PersonalDataPorts extends ExportParts {
  readonly erasures: Erasures;
  readonly clock: Pick<Clock, 'now'>;
}

/** Admin routes that erase and export contacts. */
export function personalDataRoutes(parts: PersonalDataPorts): Route[] {
  const { erasures } = parts;
  const exportOf = createContactExport(parts);
  return [
    route({
      method: 'DELETE',
      path: '/contacts/{uuid}',
      permission: 'contacts.erase',
      summary:
        'Erases a contact with all that is stored about it. 202 while a large erasure runs: repeat the call. `compact` also removes it from the files; otherwise the next compaction does.',
      request: { params, query: object({}, { compact: boolean() }) },
      responses: { 200: answer, 202: answer },
      errors: [404, 409],
      async handler({ params: { uuid }, query: { compact = false }, log }, h) {
        const { id } = await erasures.request(uuid);
        const isDone = await within(WAIT_MS, erasures.finish(id));
        if (isDone && compact) await erasures.purge(true);
        const erasure = (await erasures.get(id))!;
        log.info('a contact was erased', { erasure: id, removed: erasure.removed, isDone });
        return h.response({ erasure: erasureView(erasure) }).code(isDone ? 200 : 202);
      },
    }),
    route({
      method: 'GET',
      path: '/contacts/{uuid}/export',
      permission: 'contacts.export',
      summary:
        'Everything that is stored about a contact, as JSON: its fields, ids, messages, deliveries, media and records of plugins. With `media`, the files in base64.',
      request: { params, query: object({}, { media: boolean() }) },
      responses: { 200: { contentType: 'application/json' } },
      errors: [404],
      async handler({ params: { uuid }, query: { media = false } }, h) {
        return h.response(Readable.from(await exportOf(uuid, { withMedia: media }), { objectMode: false })).type('application/json');
      },
    }),
    route({
      method: 'GET',
      path: '/erasures',
      permission: 'contacts.erase',
      shards: { list: 'erasures', by: ['at', 'id'], order: 'descending', limit: 100 },
      summary: 'Lists erasures of contacts, newest first. `before` is the `at` of the last one.',
      request: { query: object({}, { before: dateTime(), limit: integer().min(1).max(500) }) },
      responses: { 200: object({ erasures: array(erasureSchema) }) },
      async handler({ query: { before, limit = 100 } }) {
        const until = before === undefined ? undefined : new Date(before).toISOString();
        return { erasures: (await erasures.list(limit, until)).map(erasureView) };
      },
    }),
    route({
      method: 'GET',
      path: '/erasures/{id}',
      permission: 'contacts.erase',
      summary: 'Shows an erasure.',
      request: { params: object({ id: string() }) },
      responses: { 200: answer },
      async handler({ params: { id } }) {
        const erasure = await erasures.get(id);
        if (!erasure) throw new NotFound('erasure', id);
        return { erasure: erasureView(erasure) };
      },
    }),
    route({
      method: 'POST',
      path: '/erasures',
      permission: 'contacts.erase',
      shards: 'each',
      summary: 'Erases the contacts of a list again, in older data such as a restored database. Returns how many were erased.',
      request: { payload: object({ erasures: array(listedErasureSchema.unknown()) }) },
      responses: { 200: object({ erased: integer() }) },
      handler: async ({ payload }) => ({ erased: await erasures.replay(payload.erasures) }),
    }),
  ];
}

/** @returns whether the work ended in time; it continues otherwise. Rejects with the work */
async function within(ms: number, work: Promise<void>): Promise<boolean> {
  const stop = new AbortController();
  const late = sleep(ms, false, { signal: stop.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    stop.abort();
  }
}
