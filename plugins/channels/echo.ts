import { beforeCommit, type MessageRecord, messageReceived, type PluginContext, type Subscription, type Transaction, textOf } from '#core';
import { adviceOnce, type MessageHappened } from '#core/messaging';
import { CHANNEL_TYPE } from './channel.js';
import { issuedAdvice } from './records.js';

/** An inbound text that equals a text sent less than this long ago counts as an echo. */
const ECHO_MS = 60_000;
const LOOKBACK = 5;
/** Shorter texts do not count as echoes: contacts may answer "Yes" to "Yes". */
const MIN_LENGTH = 8;

/**
 * Issues advice when a connector posts outbound messages back as inbound messages, which a journey would answer in an endless loop. At most
 * once a month per channel.
 */
export function echoWatch({ conversations, clock }: PluginContext): Subscription[] {
  const once = adviceOnce(issuedAdvice, clock);
  const watch = beforeCommit(messageReceived, (happened, tx) => {
    const since = clock.now().getTime() - ECHO_MS;
    const { last_outbound_at: lastSent } = happened.conversation;
    if (happened.number.type !== CHANNEL_TYPE || lastSent === undefined || Date.parse(lastSent) < since) return;
    return checkEcho(tx, happened, since);
  });
  return [watch as Subscription, once.dismissals];

  async function checkEcho(tx: Transaction, { number, conversation, message }: MessageHappened, since: number): Promise<void> {
    if (await once.wasIssued(tx, number.uuid)) return;
    const newest = await conversations.newest(conversation.uuid, LOOKBACK);
    const echoed = newest.find((sent) => sent.direction === 'outbound' && Date.parse(sent.recorded_at) >= since && isEcho(sent, message));
    if (!echoed) return;
    await once.issue(tx, number.uuid, {
      name: 'echo_loop',
      number: number.uuid,
      message: `Echo loop: the connector of channel '${number.name}' sent one of your own outbound messages back as an inbound message from ${message.from}.`,
      fix: 'Post only messages that contacts write, never messages that your webhook receives.',
      about: { message: message.uuid, sent_message: echoed.uuid, sent: echoed.uuid, received: message.uuid },
    });
  }
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
