import { beforeCommit, type MessageRecord, messageReceived, type PluginContext, type Subscription, textOf } from '#core';
import { adviceOnce } from '#core/areas';
import { CHANNEL_TYPE } from './channel.js';
import { issuedAdvice } from './records.js';

/** A contact does not repeat what was said within so short a time, word for word. */
const ECHO_MS = 60_000;
const LOOKBACK = 5;
/** Somebody may answer "Yes" to "Yes". */
const MIN_LENGTH = 8;

/** Says when a connector posts back what it was sent: journeys answer that too, and so on for ever. Once a month per channel. */
export function echoWatch({ conversations, clock }: PluginContext): Subscription {
  const once = adviceOnce(issuedAdvice, clock);
  return beforeCommit(messageReceived, async ({ number, conversation, message }, tx) => {
    const since = clock.now().getTime() - ECHO_MS;
    const { last_outbound_at: lastSaid } = conversation;
    if (number.type !== CHANNEL_TYPE || lastSaid === undefined || Date.parse(lastSaid) < since) return;
    if (await once.isSent(tx, number.uuid)) return;
    const newest = await conversations.newest(conversation.uuid, LOOKBACK);
    const echoed = newest.find((sent) => sent.direction === 'outbound' && Date.parse(sent.recorded_at) >= since && isEcho(sent, message));
    if (!echoed) return;
    await once.say(tx, number.uuid, {
      name: 'echo_loop',
      number: number.uuid,
      message: `The connector of channel '${number.name}' posted as a message of ${message.from} what it had been sent for them.`,
      fix: 'Post what contacts write, and not what the webhook delivers; ids of the two never meet.',
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
