import { useEffect, useState } from 'preact/hooks';
import { admin } from '../../data/admin.js';
import { live, type StreamedEvent } from '../../data/live.js';
import type { NumberRecord } from '../../data/records.js';
import type { Platform } from './platform.js';

/** Numbers whose conversations are read: enough for a sandbox, and few calls. */
const READ_NUMBERS = 5;

export interface Progress {
  readonly hasNumber: boolean;
  readonly hasChannel: boolean;
  readonly connectorAnswered: boolean;
  /** The conversation in which a contact wrote last. */
  readonly conversation: string | undefined;
  readonly replyDelivered: boolean;
}

interface Talk {
  readonly conversation: string | undefined;
  readonly replyDelivered: boolean;
}

interface Conversation {
  readonly uuid: string;
  readonly last_inbound_at?: string;
}

/** How far the user has come, from the records of the platform and then from its events. */
export function useProgress({ numbers, channels, outcomes }: Platform): Progress {
  const [talk, setTalk] = useState<Talk>(() => following({ conversation: undefined, replyDelivered: false }, live.events));
  const known = numbers.map(({ uuid }) => uuid).join(' ');
  useEffect(() => {
    let isCurrent = true;
    void stored(numbers).then(
      (found) =>
        isCurrent &&
        setTalk((before) => ({
          conversation: before.conversation ?? found.conversation,
          replyDelivered: before.replyDelivered || found.replyDelivered,
        })),
      // The steps then tick off with the next events.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [known]);
  useEffect(() => live.listen((batch) => setTalk((before) => following(before, batch))), []);
  const connectors = channels.flatMap(({ webhooks }) => webhooks);
  return {
    hasNumber: numbers.length > 0,
    hasChannel: channels.length > 0,
    connectorAnswered: connectors.some(({ uuid }) => {
      const outcome = outcomes.get(uuid);
      return outcome !== undefined && (outcome.attempt ? outcome.attempt.result === 'delivered' : outcome.delivery.state === 'delivered');
    }),
    ...talk,
  };
}

function following(before: Talk, batch: readonly StreamedEvent[]): Talk {
  let { conversation, replyDelivered } = before;
  for (const { name, data } of batch) {
    if (name === 'state.reset') [conversation, replyDelivered] = [undefined, false];
    if (name === 'message.received') conversation = data.message.conversation;
    // Only replies to contacts count, and not samples.
    if (name === 'message.status' && conversation !== undefined && ARRIVED.includes(data.report.status)) replyDelivered = true;
  }
  return conversation === before.conversation && replyDelivered === before.replyDelivered ? before : { conversation, replyDelivered };
}

const ARRIVED = ['delivered', 'read'];

async function stored(numbers: readonly NumberRecord[]): Promise<Talk> {
  const lists = await Promise.all(
    numbers
      .slice(0, READ_NUMBERS)
      .map(({ uuid }) => admin<{ conversations: readonly Conversation[] }>('GET', `/numbers/${uuid}/conversations?limit=5`)),
  );
  const written = lists.flatMap(({ conversations }) => conversations).filter(({ last_inbound_at }) => last_inbound_at !== undefined);
  const [newest] = written.sort((a, b) => (a.last_inbound_at! < b.last_inbound_at! ? 1 : -1));
  if (!newest) return { conversation: undefined, replyDelivered: false };
  const { messages } = await admin<{ messages: readonly { direction: string; status?: string }[] }>(
    'GET',
    `/conversations/${newest.uuid}?limit=20`,
  );
  const replyDelivered = messages.some(({ direction, status = '' }) => direction === 'outbound' && ARRIVED.includes(status));
  return { conversation: newest.uuid, replyDelivered };
}
