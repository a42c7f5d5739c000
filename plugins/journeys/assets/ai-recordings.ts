import { anyText, anything, collection, fields, list, type PluginContext, type Route, route, type Transaction, text, whole } from '#core';
import type { Recording } from '#core/areas';
import { assetParams } from './assets.js';

/** What of a connection is recorded at most; later answers are not. */
const MOST_RECORDINGS = 1000;

const call = fields({ id: text(), name: text(), arguments: anyText() });
const reply = fields({ text: anyText(), calls: list(call), tokens: fields({ input: whole(), output: whole() }) });
export const recordingSchema = fields({ key: text(), request: text(), reply });

interface RecordingRecord extends Recording {
  readonly id: string;
  readonly connection: string;
  readonly count: number;
}

export const recordings = collection<RecordingRecord>({ key: 'id', unique: { connection: ['connection', 'count'] } });

/** Keeps what a model answered to a request; the same request again replaces it. */
export async function keepRecording({ store }: Pick<PluginContext, 'store'>, connection: string, recording: Recording): Promise<void> {
  await store.transaction(async (tx) => {
    const kept = tx.in(recordings);
    const id = `${connection}/${recording.key}`;
    const known = await kept.get(id);
    const [last] = await kept.find('connection', { equals: [connection], order: 'descending', limit: 1 });
    const count = known?.count ?? (last?.count ?? 0) + 1;
    if (count <= MOST_RECORDINGS) kept.put({ ...recording, id, connection, count });
  });
}

export async function forgetRecordings(tx: Transaction, connection: string): Promise<void> {
  for (const { id } of await tx.in(recordings).find('connection', { equals: [connection] })) tx.in(recordings).delete(id);
}

export function recordingRoutes({ store }: PluginContext, connections: { require(uuid: string): Promise<unknown> }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai-connections/{uuid}/recordings',
      summary: 'Lists what a connection has recorded, as a connection that replays takes it.',
      request: { params: assetParams },
      responses: { 200: fields({ recordings: list(fields({ key: text(), request: text(), reply: anything() })) }) },
      async handler({ params: { uuid } }) {
        await connections.require(uuid);
        const found = await store.open(recordings).find('connection', { equals: [uuid] });
        return { recordings: found.map(({ key, request, reply }) => ({ key, request, reply })) };
      },
    }),
  ];
}
