import { beforeCommit, type MessageRecord, messageReceived, type PluginContext, type Subscription, textOf } from '#core';
import { adviceOnce } from '#core/areas';
import { CHANNEL_TYPE } from './channel.js';
import { issuedAdvice } from './records.js';

/** An identical text this soon after it was sent is taken for an echo. */
const ECHO_MS = 60_000;
const LOOKBACK = 5;
/** Shorter texts are not taken for echoes: contacts do answer "Yes" to "Yes". */
const MIN_LENGTH = 8;

/**
 * Issues advice when a connector posts back what it received, which a journey then answers in an endless loop. Once a month per channel.
 */
export function echoWatch({ conversations, clock }: PluginContext): Subscription {
  const once = adviceOnce(issuedAdvice, clock);
  return beforeCommit(messageReceived, async ({ number, conversation, message }, tx) => {
    const since = clock.now().getTime() - ECHO_MS;
    const { last_outbound_at: lastSent } = conversation;
    if (number.type !== CHANNEL_TYPE || lastSent === undefined || Date.parse(lastSent) < since) return;
    if (await once.wasIssued(tx, number.uuid)) return;
    const newest = await conversations.newest(conversation.uuid, LOOKBACK);
    const echoed = newest.find((sent) => sent.direction === 'outbound' && Date.parse(sent.recorded_at) >= since && isEcho(sent, message));
    if (!echoed) return;
    await once.issue(tx, number.uuid, {
      name: 'echo_loop',
      number: number.uuid,
      message: `Echo loop: the connector of channel '${number.name}' posted as a message from ${message.from} what it had received for this contact.`,
      fix: 'Post only what contacts write, never what your webhook receives.',
      about: { sent: echoed.uuid, received: message.uuid },
    });
  });
}

function isEcho(sent: MessageRecord, received: MessageRecord): boolean {
  if (sent.external_id !== undefined && sent.external_id === received.external_id) return true;
  const text = textOf(received);
  const body = sent.type === 'interactive' ? bodyText(sent) : textOf(sent);
  return text.length >= MIN_LENGTH && text === body;
}

const bodyText = ({ content }: MessageRecord): string => {
  const { body } = content.interactive as { body?: { text?: unknown } };
  return typeof body?.text === 'string' ? body.text : '';
};
