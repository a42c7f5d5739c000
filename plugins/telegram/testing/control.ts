import { anyOf, anyString, array, boolean, integer, number, object, oneOf, record, string } from '#core';
import { type ControlRoute, controlLines, controlRoutesOf } from '#core/testing';
import type { PersonSettings } from './chats.js';
import type { TelegramFault } from './faults.js';
import { isMediaKind } from './media.js';
import type { Tapped, Written } from './people.js';
import type { TelegramStandIn } from './stand-in.js';

/**
 * Bodies refuse fields that they do not know, because people write them, and a misspelt field would change nothing. Only what a person
 * writes has any fields of a message.
 */
const controlRoute = controlRoutesOf<TelegramStandIn>();
const nothing = object({});
const written = () => object({}).unknown();
const where = { chat: integer(), reply_to: integer() };
const done = async (work: unknown) => {
  await work;
  return { success: true };
};

/** A message of a control call: files are base64 text. */
function messageOf(text: string | undefined, message: object | undefined): string | Written {
  if (message === undefined) return text ?? '';
  const fields = Object.entries(message).map(([name, value]) => {
    if (!isMediaKind(name)) return [name, value];
    const { base64, ...file } = Object(value) as { base64?: unknown };
    if (typeof base64 !== 'string') throw new Error(`${name} needs its bytes as base64`);
    return [name, { ...file, bytes: Buffer.from(base64, 'base64') }];
  });
  return Object.fromEntries(fields) as Written;
}

const placed = ({ chat, reply_to: replyTo }: { chat?: number | undefined; reply_to?: number | undefined }) => ({
  ...(chat !== undefined && { chat }),
  ...(replyTo !== undefined && { replyTo }),
});

const refusal = object({ code: integer() }, { description: string(), retry_after: integer(), migrate_to_chat_id: integer() });

/** Routes that script the stand-in from outside its process. */
export const controlRoutes: readonly ControlRoute<TelegramStandIn>[] = [
  controlRoute({
    path: /^\/control\/people$/,
    method: 'POST',
    summary: 'describes a person, who can block the bot: {"id", "first_name"?, "username"?, "isBlocking"?}',
    body: object(
      { id: integer() },
      {
        first_name: string(),
        last_name: string(),
        username: string(),
        language_code: string(),
        isDeactivated: boolean(),
        isBlocking: boolean(),
      },
    ),
    run: async (standIn, { id, isBlocking, ...settings }) => {
      const person = standIn.person(id, settings as PersonSettings);
      if (isBlocking !== undefined) await (isBlocking ? standIn.block(id) : standIn.unblock(id));
      return person;
    },
  }),
  controlRoute({
    path: /^\/control\/messages$/,
    method: 'POST',
    summary: 'a person writes: {"from", "text"} or {"from", "message": {"photo": {"base64"}, "caption"?}}, "chat"?, "reply_to"?',
    body: object({ from: integer() }, { text: string(), message: written(), ...where }).xor('text', 'message'),
    run: (standIn, { from, text, message, ...place }) => standIn.write(from, messageOf(text, message), placed(place)),
  }),
  controlRoute({
    path: /^\/control\/albums$/,
    method: 'POST',
    summary: 'a person sends an album: {"from", "messages": [{"photo": {"base64"}}, …]}',
    body: object({ from: integer(), messages: array(written()) }, where),
    run: async (standIn, { from, messages, ...place }) => ({
      messages: await standIn.album(from, messages.map((one) => messageOf(undefined, one)) as Written[], placed(place)),
    }),
  }),
  controlRoute({
    path: /^\/control\/edits$/,
    method: 'POST',
    summary: 'a person edits a message: {"from", "message_id", "text" | "message"}',
    body: object({ from: integer(), message_id: integer() }, { text: string(), message: written(), chat: integer() }).xor(
      'text',
      'message',
    ),
    run: (standIn, { from, message_id, text, message, ...place }) =>
      standIn.edit(from, message_id, messageOf(text, message), placed(place)),
  }),
  controlRoute({
    path: /^\/control\/taps$/,
    method: 'POST',
    summary:
      'a person taps a button: {"from", "message_id", "text" | "index" | "data", "isOld"?}, or a key below the input field: {"from", "key"}',
    body: object(
      { from: integer() },
      {
        message_id: integer(),
        text: string(),
        index: integer().min(0),
        data: anyString(),
        key: string(),
        isOld: boolean(),
        chat: integer(),
      },
    ).xor('text', 'index', 'data', 'key'),
    run: (standIn, { from, key, message_id = 0, text, index, data, isOld = false, ...place }) => {
      if (key !== undefined) return standIn.choose(from, key, placed(place));
      const tapped: Tapped = text ?? index ?? { data: data! };
      return standIn.tap(from, message_id, tapped, { ...placed(place), isOld });
    },
  }),
  controlRoute({
    path: /^\/control\/groups$/,
    method: 'POST',
    summary: 'a person adds the bot to a group, removes it, or makes it a supergroup: {"from", "id", "title"?, "isMember"?, "migrateTo"?}',
    body: object(
      { from: integer(), id: integer().max(-1) },
      { title: string(), type: oneOf('group', 'supergroup'), isMember: boolean(), migrateTo: integer().max(-1) },
    ),
    run: async (standIn, { from, id, title, type, isMember = true, migrateTo }) => {
      if (title !== undefined) standIn.group(id, title, type);
      return done(
        migrateTo !== undefined ? standIn.migrate(from, id, migrateTo) : isMember ? standIn.join(from, id) : standIn.leave(from, id),
      );
    },
  }),
  controlRoute({
    path: /^\/control\/messages$/,
    method: 'GET',
    summary: 'lists the messages of the bot, as they are shown now',
    body: nothing,
    run: ({ sent }) => ({
      messages: sent.map(({ method, message, bytes, keys }) => ({
        method,
        message,
        keys,
        base64: bytes && Buffer.from(bytes).toString('base64'),
      })),
    }),
  }),
  controlRoute({
    path: /^\/control\/queries$/,
    method: 'GET',
    summary: 'lists the taps on buttons, with the answers of the bot',
    body: nothing,
    run: ({ queries }) => ({ queries }),
  }),
  controlRoute({
    path: /^\/control\/deliveries$/,
    method: 'GET',
    summary: 'lists the webhook calls and their attempts',
    body: nothing,
    run: ({ deliveries }) => ({ deliveries }),
  }),
  controlRoute({
    path: /^\/control\/updates$/,
    method: 'POST',
    summary: 'sends the last update again, or one of the same id with another body: {"changes"?}',
    body: object({}, { changes: written() }),
    run: (standIn, { changes }) => done(standIn.repeat(undefined, changes)),
  }),
  controlRoute({
    path: /^\/control\/faults$/,
    method: 'POST',
    summary: 'sets a fault rule: {"on", "times", "error" | "respond" | "connection", "holdMs", "isScheduled"}',
    body: object(
      {},
      {
        on: object({}, { method: string(), chat: integer(), contains: string() }),
        ...{ times: integer().min(1), skip: integer().min(0), holdMs: number().min(0), isScheduled: boolean() },
        error: anyOf(integer(), refusal),
        respond: object({ status: integer().min(200).max(599) }, { headers: record(anyString()), body: anyString() }),
        connection: oneOf('reset', 'reset after', 'hang', 'silent'),
      },
    ).oxor('error', 'respond', 'connection'),
    run: (standIn, rule) => standIn.fault(rule as TelegramFault),
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
  controlRoute({
    path: /^\/control\/floods$/,
    method: 'POST',
    summary: 'answers all calls, or those for a chat, with 429 for some seconds: {"seconds", "chat"?}',
    body: object({ seconds: integer().min(1) }, { chat: integer() }),
    run: (standIn, { seconds, chat }) => done(standIn.flood(seconds, chat)),
  }),
];

/** The control routes, as lines for people. */
export const controlSummary: readonly string[] = controlLines(controlRoutes);
