import { inPlugin, messageOf, PlatformError, throwerOf, Unavailable } from '../errors.js';
import { isObject, type JsonObject, readJsonText } from '../json.js';
import type { Logger } from '../ports/logger.js';
import type { Transaction } from '../ports/transaction.js';
import type { ChannelCapabilities } from '../turns/network-limits.js';
import { type Sendable, turnType, turnTypes } from '../turns/turn.js';
import { isTurn, turnFault } from '../turns/turn-fault.js';
import type { Author, Inbound, MessageRecord } from './message.js';
import type { NumberRecord } from './number.js';
import { receivedParts } from './received-parts.js';
import { MessageIdTaken } from './repeated-ids.js';

/** A message to a contact that is about to be recorded. */
export interface OutboundDraft {
  readonly number: NumberRecord;
  /** The recipient as the number knows it. */
  readonly to: string;
  readonly turn: Sendable;
  readonly author: Author;
  readonly journey?: MessageRecord['journey'];
}

/** The change of a `beforeSend`: the message to send instead. */
export interface SendChange {
  readonly turn: Sendable;
}

/** A message of a contact that is about to be recorded. */
export interface InboundDraft {
  readonly number: NumberRecord;
  readonly message: Inbound;
}

/** The change of a `beforeReceive`: the content to record instead, and its type if it changes. */
export interface ReceiveChange {
  readonly type?: string;
  readonly content: JsonObject;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement changes nothing
type Changed<C> = Promise<C | undefined | void> | C | undefined | void;

/**
 * Runs before an outbound message is recorded, whichever plugin sends it. Returns a changed message, or nothing to leave it. The draft is
 * frozen. It may write in the transaction, which can commit even if the message is refused.
 * @throws PlatformError to refuse the message, with a cause that the plugin declares
 */
export type BeforeSend = (tx: Transaction, draft: OutboundDraft) => Changed<SendChange>;

/** Checks a message to a contact as it will be sent: after the changes of all plugins, in the transaction that records it. */
export interface SendCheck {
  /**
   * It changes nothing in the draft. It may write in the transaction, which can commit even if the message is refused.
   * @throws PlatformError to refuse the message, with a cause that the plugin declares
   */
  readonly check: (tx: Transaction, draft: OutboundDraft) => Promise<void> | void;
}

/**
 * Runs before a message of a contact is recorded, but not for a duplicate. Returns a changed content, or nothing to leave it. The draft is
 * frozen.
 * @throws PlatformError to refuse the message, with a cause that the plugin declares; nothing of the transaction is stored
 */
export type BeforeReceive = (tx: Transaction, draft: InboundDraft) => Changed<ReceiveChange>;

/** A hook with the plugin that contributes it. */
export interface OwnedHook<H> {
  readonly plugin: string;
  readonly run: H;
}

/** 503: a plugin changed a message to one that cannot be sent or recorded. Neither the caller nor the contact can do anything about it. */
export class BadRewrite extends Unavailable {
  constructor(plugin: string, hook: 'beforeSend' | 'beforeReceive', fault: string) {
    super(`The plugin '${plugin}' returned a message from ${hook} that cannot be used: ${fault}`, undefined, 'bad_rewrite');
  }
}

/** The plugin whose `beforeReceive` refused a message with this error; undefined for other errors. */
export const refusedBy = (error: unknown): string | undefined =>
  error instanceof PlatformError && error.status < 500 ? throwerOf(error).plugin : undefined;

/**
 * Handles the error of a message that no repeat can get recorded, because a plugin refuses it, or a message of another contact has its id: logs it.
 * @throws every other error
 */
export const logUnrecorded =
  (log: Pick<Logger, 'warn'>, about: { readonly number_id: string; readonly message_id: string }) =>
  (error: unknown): void => {
    const plugin = refusedBy(error);
    if (plugin === undefined && !(error instanceof MessageIdTaken)) throw error;
    log.warn('a message of a contact was not recorded', { plugin, ...about, error });
  };

/** As for the bodies of calls that post messages. */
const MAX_BYTES = 1024 * 1024;

/** Runs the hooks in order, each with the result of the previous one. @throws PlatformError to refuse the message, BadRewrite */
export async function sendingHooks(
  hooks: readonly OwnedHook<BeforeSend>[],
  tx: Transaction,
  draft: OutboundDraft,
  driver: { readonly type: string; readonly supports?: 'turns' | 'everything'; readonly capabilities?: ChannelCapabilities },
): Promise<{ readonly turn: Sendable; readonly rewritten_by?: string[] }> {
  const plugins: string[] = [];
  // A copy, because the draft belongs to the caller.
  let current = frozen(structuredClone(draft));
  for (const { plugin, run } of hooks) {
    const change = await inPlugin(plugin, () => run(tx, current));
    if (change === undefined) continue;
    const fail = (fault: string): never => {
      throw new BadRewrite(plugin, 'beforeSend', fault);
    };
    const { turn, ...others } = plainCopy(change, fail);
    requireKeys(others, { turn }, 'turn', fail);
    const type = turnType(turn as unknown as Sendable);
    const isLimited = driver.supports !== 'everything';
    if (isLimited && !turnTypes.has(type)) fail(`numbers of type '${driver.type}' do not support messages of type '${type}'`);
    const fault = turnFault(turn as unknown as Sendable, driver.capabilities ?? {}, { isStrict: isLimited || isTurn(current.turn) });
    if (fault !== undefined) fail(fault);
    current = frozen({ ...current, turn: turn as unknown as Sendable });
    plugins.push(plugin);
  }
  return plugins.length > 0 ? { turn: current.turn, rewritten_by: plugins } : { turn: draft.turn };
}

/** Like `sendingHooks`, for a message of a contact. @throws PlatformError to refuse the message, BadRewrite */
export async function receivingHooks(
  hooks: readonly OwnedHook<BeforeReceive>[],
  tx: Transaction,
  draft: InboundDraft,
): Promise<{ readonly message: Inbound; readonly rewritten_by?: string[] }> {
  const plugins: string[] = [];
  let current = frozen(draft);
  for (const { plugin, run } of hooks) {
    const change = await inPlugin(plugin, () => run(tx, current));
    if (change === undefined) continue;
    const fail = (fault: string): never => {
      throw new BadRewrite(plugin, 'beforeReceive', fault);
    };
    const { content, type = current.message.type, ...others } = plainCopy(change, fail);
    requireKeys(others, { content }, 'content', fail);
    const fault = receivedFault(type, content as JsonObject);
    if (fault !== undefined) fail(fault);
    current = frozen({ ...current, message: { ...current.message, type: type as string, content: content as JsonObject } });
    plugins.push(plugin);
  }
  return { message: current.message, ...(plugins.length > 0 && { rewritten_by: plugins }) };
}

function receivedFault(type: unknown, content: JsonObject): string | undefined {
  if (typeof type !== 'string' || !Object.hasOwn(receivedParts, type))
    return `its type must be one of ${Object.keys(receivedParts).join(', ')}`;
  const others = Object.keys(content).filter((key) => key !== type);
  if (others.length > 0 || content[type] === undefined) return `its content must be under the key '${type}', and have no other key`;
  return receivedParts[type as keyof typeof receivedParts].validate(content[type]).error?.message;
}

/** A copy that the plugin cannot change later. Refuses what JSON cannot hold, and what is too large or nested too deeply. */
function plainCopy(change: unknown, fail: (fault: string) => never): Record<string, JsonObject | string | undefined> {
  let text: string | undefined;
  try {
    text = JSON.stringify(change);
  } catch (error) {
    fail(`it is not JSON: ${messageOf(error)}`);
  }
  if (text === undefined || !isObject(change)) return fail('it is not an object');
  if (Buffer.byteLength(text) > MAX_BYTES) fail(`it is larger than ${MAX_BYTES} bytes`);
  const { value, fault } = readJsonText(text);
  if (fault) fail('it is nested too deeply');
  return value as Record<string, JsonObject>;
}

function requireKeys(others: object, required: Readonly<Record<string, unknown>>, name: string, fail: (fault: string) => never): void {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) fail(`it has the unknown key '${unknown}'; return { ${name} }`);
  if (!isObject(required[name])) fail(`${name} is not an object`);
}

/** Freezes a value and all that it contains. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}
