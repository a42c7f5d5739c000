import { definePlugin, event, object, route } from '#core';
import { callAnswered } from '../../../core/kernel/observe/call-log.js';
import { integer } from '../../../core/shape.js';

/** Events whose names begin like those of the platform, so that queries of the console that follow them are read again. */
const NAMES = ['message.loaded', 'delivery.loaded', 'journey.loaded', 'webhook.loaded', 'advice.loaded'];
const types = NAMES.map((name) => event<object>(name, 'An event of a load test.'));

const TICK_MS = 20;
const UUID = '01a20916-43af-7820-9dff-cf8709d01621';

/**
 * A plugin that emits events through the stream of the platform: `POST /admin/v1/load` emits `total` of them, `rate` per second. They have
 * the size of real ones, and every fifth is a call.
 */
export const eventLoad = definePlugin({
  name: 'event-load',
  version: '0.1.0',
  emits: types,
  register({ announce, clock }) {
    let emitted = 0;
    const emitOne = (): void => {
      const n = ++emitted;
      const at = clock.now().toISOString();
      if (n % 5 === 0) {
        const status = n % 50 === 0 ? 400 : 200;
        announce(callAnswered, {
          ...{ id: `load-${n}`, at, method: 'POST', path: `/v1/numbers/${UUID}/messages?n=${n}`, route: 'POST /v1/messages', number: null },
          ...{ status, ms: n % 30, error: status === 400 ? 'text.body is required' : null },
        });
        return;
      }
      announce(types[n % types.length]!, payload(n, at));
    };
    const load = route({
      method: 'POST',
      path: '/load',
      summary: 'Emits events.',
      request: { payload: object({ total: integer().min(1), rate: integer().min(1) }) },
      responses: { 200: object({ emitted: integer() }) },
      async handler({ payload: { total, rate } }) {
        const [start, began] = [emitted, performance.now()];
        while (emitted - start < total) {
          const due = Math.min(total, Math.ceil(((performance.now() - began) / 1_000) * rate));
          while (emitted - start < due) emitOne();
          await new Promise((resolve) => setTimeout(resolve, TICK_MS));
        }
        return { emitted: emitted - start };
      },
    });
    return { admin: [load] };
  },
});

/** About 1.2 kB as JSON, as an event of a message. */
const payload = (n: number, at: string): object => ({
  number: { uuid: UUID, kind: 'network', address: '+27600000001', name: 'Load', account: null, created_at: at },
  contact: {
    ...{ uuid: UUID.replace('43af', String(1_000 + (n % 9_000))), number: UUID, id: `+2782000${1_000 + (n % 9_000)}` },
    fields: { name: `Contact ${n}`, surname: null, language: 'eng', opted_in: false, msgapp_profile_name: `Contact ${n}` },
  },
  message: {
    ...{ uuid: `01a20916-43af-7820-9dff-${String(n).padStart(12, '0')}`, number: UUID, conversation: UUID, position: n, recorded_at: at },
    ...{ statuses: [{ status: 'sent', timestamp: '1795448784' }], type: 'text', direction: 'inbound' },
    content: { text: { body: `Message ${n}: ${'Is the library open today? '.repeat(12)}` } },
    author: { type: 'OWNER', id: '', name: '' },
  },
  state: n % 10 === 0 ? 'failed' : 'delivered',
});
