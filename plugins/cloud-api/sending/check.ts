import { type ChannelDriver, type ConversationView, MessageRefused, type PluginContext } from '#core';
import { NETWORK_LIMITS } from '#core/basics';
import { adviceOnce, turnType } from '#core/messaging';
import { notificationErrorOf } from '../graph/errors.js';
import { CLOUD_TYPE, type Connections } from '../numbers/connections.js';
import type { Settings } from '../options.js';
import { connections as connectionRecords, issuedAdvice, pendingSends } from '../records.js';
import type { SendBudget } from './budget.js';

/** Checks a message to a connected number before it is recorded. */
export type MessageCheck = NonNullable<ChannelDriver['check']>;

const WINDOW_MS = NETWORK_LIMITS.windowHours * 60 * 60 * 1000;
/** The network's clock and ours differ. */
const MARGIN_MS = 60_000;
/** Pending messages of a conversation that are counted. */
const MAX_AHEAD = 1_000;
const TOO_MANY_REQUESTS = 429;

/** The network takes only templates for contacts who have not written for 24 hours. Clients of the API know this code. */
const windowClosed = (to: string) =>
  notificationErrorOf({
    code: 470,
    title: 'Message failed to send because more than 24 hours have passed since the customer last replied',
    error_data: { details: `${to} has not written in the last 24 hours; send a template instead` },
  });

const tooManyMessages = (to: string, seconds: number) =>
  notificationErrorOf({
    code: 131056,
    title: 'Too many messages to this contact',
    error_data: { details: `${to} can receive one message every few seconds, and this one would wait more than ${seconds} seconds` },
  });

/** When the window of a conversation closes; undefined if it may be open although no message is known, because the number is new here. */
function closesAt(lastInbound: string | undefined, connectedAt: string, now: number): number | undefined {
  if (lastInbound !== undefined) return Date.parse(lastInbound) + WINDOW_MS;
  const sinceConnected = Date.parse(connectedAt) + WINDOW_MS;
  return now > sinceConnected ? sinceConnected : undefined;
}

/** Refuses a message that is not a template when the 24-hour window is closed, or only advises, by the option `closedWindow`. */
export function windowCheck({ contacts, conversations, clock }: PluginContext, { closedWindow }: Settings): MessageCheck {
  const once = adviceOnce(issuedAdvice, clock);
  return async (tx, { number, to, turn }) => {
    const type = turnType(turn);
    if (type === 'template' || type === 'hsm') return;
    const contact = await contacts.known(number.uuid, to);
    const conversation = contact && (await conversations.ofContact(number.uuid, contact.uuid));
    const connection = await tx.in(connectionRecords).get(number.uuid);
    const now = clock.now().getTime();
    const closes = closesAt(conversation?.last_inbound_at, connection?.connected_at ?? clock.now().toISOString(), now);
    if (closes === undefined || now < closes - MARGIN_MS) return;
    await once.issue(tx, `window:${number.uuid}`, {
      name: 'cloud_api_window_closed',
      number: number.uuid,
      message: `A message of type '${type}' to ${to} was ${closedWindow === 'refuse' ? 'refused' : 'sent'} although the contact has not written for 24 hours.`,
      fix: 'Send a template first; when the contact answers, the window opens for 24 hours. The view cloud_api of a conversation shows its end.',
    });
    if (closedWindow === 'refuse') throw new MessageRefused(windowClosed(to));
  };
}

/** Refuses a message whose contact has so many messages before it that it would wait longer than the option `maxWaitSeconds`. */
export function backlogCheck(
  { store, contacts, conversations }: PluginContext,
  budget: SendBudget,
  { maxWaitSeconds }: Settings,
): MessageCheck {
  return async (_tx, { number, to }) => {
    const contact = await contacts.known(number.uuid, to);
    const conversation = contact && (await conversations.ofContact(number.uuid, contact.uuid));
    if (!conversation || budget.pairWaitMs(number.uuid, conversation.uuid, MAX_AHEAD) <= maxWaitSeconds * 1_000) return;
    const ahead = await store.open(pendingSends).find('conversation', { equals: [conversation.uuid], limit: MAX_AHEAD });
    if (budget.pairWaitMs(number.uuid, conversation.uuid, ahead.length) <= maxWaitSeconds * 1_000) return;
    throw new MessageRefused(tooManyMessages(to, maxWaitSeconds), TOO_MANY_REQUESTS);
  };
}

/** Adds the end of the 24-hour window to a conversation of a connected number; null without a known message of the contact. */
export const windowView = ({ clock }: PluginContext, connections: Connections): ConversationView => ({
  name: 'cloud_api',
  async load({ number, conversation }) {
    const connection = number.type === CLOUD_TYPE ? await connections.of(number.uuid) : undefined;
    if (!connection) return null;
    const closes = closesAt(conversation.last_inbound_at, connection.connected_at, clock.now().getTime());
    return { window_closes_at: closes === undefined ? null : new Date(closes).toISOString(), stopped: connection.stopped ?? null };
  },
});
