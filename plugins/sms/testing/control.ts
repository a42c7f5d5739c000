import { anyString, array, integer, object, oneOf, record, string } from '#core';
import { type ControlRoute, controlLines, controlRoutesOf } from '#core/testing';
import type { SmsFault, WrittenSms } from './settings.js';
import type { SmsCallbacks, SmsStandIn } from './stand-in.js';

/** Bodies refuse fields that they do not know, because people write them, and a misspelt field would change nothing. */
const controlRoute = controlRoutesOf<SmsStandIn>();
const nothing = object({});

/** Routes that script the stand-in from outside its process. */
export const controlRoutes: readonly ControlRoute<SmsStandIn>[] = [
  controlRoute({
    path: /^\/control\/callbacks$/,
    method: 'POST',
    summary: 'sets the callbacks of the number, which the connection of the number shows: {"messages"?, "statuses"?}',
    body: object({}, { messages: string(), statuses: string() }),
    run(standIn, addresses) {
      standIn.connect(addresses as SmsCallbacks);
      return { success: true };
    },
  }),
  controlRoute({
    path: /^\/control\/callbacks$/,
    method: 'GET',
    summary: 'lists the callbacks so far, and their answers',
    body: nothing,
    run: ({ callbacks }) => ({ callbacks }),
  }),
  controlRoute({
    path: /^\/control\/messages$/,
    method: 'POST',
    summary: 'a person writes: {"from", "text", "id"?, "files"?: [{"type", "base64"}], "fields"?, "signature"?}',
    body: object(
      { from: string(), text: anyString() },
      {
        id: string(),
        files: array(object({ type: string(), base64: anyString() })),
        fields: record(anyString()),
        signature: anyString(),
      },
    ),
    async run(standIn, { from, text, files = [], ...more }) {
      const read = files.map(({ type, base64 }) => ({ type, bytes: Buffer.from(base64, 'base64') }));
      return { id: await standIn.write(from, text, { ...more, files: read } as WrittenSms) };
    },
  }),
  controlRoute({
    path: /^\/control\/messages$/,
    method: 'GET',
    summary: 'lists the messages that the gateway took',
    body: nothing,
    run: ({ sent }) => ({
      messages: sent.map(({ bytes, ...sms }) => ({ ...sms, base64: bytes && Buffer.from(bytes).toString('base64') })),
    }),
  }),
  controlRoute({
    path: /^\/control\/reports$/,
    method: 'POST',
    summary: 'reports on a message: {"id", "status", "code"?, "reason"?}',
    body: object({ id: string(), status: string() }, { code: integer(), reason: string() }),
    async run(standIn, { id, status, code, reason }) {
      await standIn.report(id, status, { ...(code !== undefined && { code }), ...(reason !== undefined && { reason }) });
      return { success: true };
    },
  }),
  controlRoute({
    path: /^\/control\/faults$/,
    method: 'POST',
    summary: 'sets a fault rule: {"on", "times", "error" | "respond" | "connection" | "recipients", "reportFirst"}',
    body: object(
      {},
      {
        on: object({}, { path: oneOf('send', 'file', 'account'), to: string(), contains: string() }),
        ...{ times: integer().min(1), skip: integer().min(0), recipients: string(), reportFirst: string() },
        error: object({ status: integer().min(200).max(599) }, { code: integer(), message: string() }),
        respond: object({ status: integer().min(200).max(599) }, { headers: record(anyString()), body: anyString() }),
        connection: oneOf('refuse', 'reset', 'reset after', 'hang', 'silent'),
      },
    ).oxor('error', 'respond', 'connection', 'recipients'),
    run: (standIn, rule) => standIn.fault(rule as SmsFault),
  }),
  controlRoute({
    path: /^\/control\/faults$/,
    method: 'GET',
    summary: 'lists the fault rules',
    body: nothing,
    run: ({ faults }) => ({ faults: faults.list() }),
  }),
  controlRoute({
    path: /^\/control\/faults\/(\w+)$/,
    method: 'DELETE',
    summary: 'removes a fault rule',
    body: nothing,
    run: ({ faults }, _body, id) => ({ success: faults.remove(id) }),
  }),
];

/** The control routes, as lines for people. */
export const controlSummary: readonly string[] = controlLines(controlRoutes);
