import type { DeliveryRecord, MessageRecord } from '#core';
import { Draw } from '../../components/icons.js';
import { Time } from '../../components/time.js';
import { contentOf, isAccepted, type Option, summaryOf } from './content.js';
import { MessageBody } from './message-body.js';
import { Ladder, Trouble } from './statuses.js';
import { texts } from './texts.js';

export interface BubbleActions {
  readonly tap: (question: MessageRecord, option: Option) => void;
  readonly openList: (question: MessageRecord) => void;
  readonly openForm: (question: MessageRecord) => void;
  readonly reply: (message: MessageRecord) => void;
  readonly showDetails: (message: MessageRecord) => void;
}

interface BubbleProps {
  readonly message: MessageRecord;
  readonly quoted: MessageRecord | undefined;
  /** Emojis of reactions to the message. */
  readonly reactions: string;
  readonly trouble: DeliveryRecord | undefined;
  /** Whether the console can write for this contact. */
  readonly isPlayable: boolean;
  readonly actions: BubbleActions;
  /** Leads to the quoted message, which may be older than the loaded ones. */
  readonly showQuoted: (id: string) => void;
}

/** One message as the contact sees it: the contact's own at the end of the line, those of the number at its start. */
export function Bubble({ message, quoted, reactions, trouble, isPlayable, actions, showQuoted }: BubbleProps) {
  const { direction, type, context, timestamp, author, journey, group_id: group } = message;
  const isOwn = direction === 'inbound';
  const canAnswer = isPlayable && isAccepted(message);
  const isReaction = type === 'reaction';
  const summary = beginning(summaryOf(message));
  // An entry of the platform, which the contact does not see.
  if (!isOwn && type === 'system')
    return (
      <div class="line note" data-message={message.uuid} tabIndex={-1}>
        <small class="quiet" dir="auto">
          {summary} <Time at={message.recorded_at} />
        </small>
      </div>
    );
  return (
    <div class={`line ${isOwn ? 'own' : ''} ${isAccepted(message) ? '' : 'unseen-by-contact'}`} data-message={message.uuid} tabIndex={-1}>
      <article class={`bubble ${isReaction ? 'slim' : ''}`} aria-label={texts.isownContactAuthorSummary(isOwn, authorOf(message), summary)}>
        {context?.id !== undefined && !isReaction && (
          <blockquote class="quote" dir="auto">
            <button type="button" title={texts.showTheQuotedMessage} onClick={() => showQuoted(context.id!)}>
              {quoted ? beginning(summaryOf(quoted)) : <span class="quiet">{texts.anOlderMessage}</span>}
            </button>
          </blockquote>
        )}
        {group !== undefined && <small class="quiet">{texts.inTheGroup(group)}</small>}
        {context?.forwarded && <small class="quiet">{texts.forwarded}</small>}
        <MessageBody
          message={message}
          {...(canAnswer && {
            tap: (option: Option) => actions.tap(message, option),
            openList: () => actions.openList(message),
            openForm: () => actions.openForm(message),
          })}
        />
        <footer class="bubble-foot">
          {!isOwn && (
            <span class="quiet" dir="auto">
              {journey ? texts.journey(journey.card ? ` · ${journey.card}` : '') : author.name}
            </span>
          )}
          <Time at={new Date(Number(timestamp) * 1_000).toISOString()} />
          {isOwn && message.read_at !== undefined && <span class="quiet">{texts.readByTheDesk}</span>}
          {!isOwn && <Ladder message={message} />}
        </footer>
        {reactions !== '' && (
          <span class="reactions">
            <span class="unseen">{texts.reactions} </span>
            {reactions}
          </span>
        )}
        {trouble && <Trouble delivery={trouble} message={message} />}
      </article>
      <span class="bubble-tools">
        {canAnswer && !isReaction && (
          <button
            type="button"
            class="round"
            aria-label={texts.replyTo(summary)}
            title={texts.reply}
            onClick={() => actions.reply(message)}
          >
            <Draw name="reply" />
          </button>
        )}
        <button
          type="button"
          class="round"
          aria-label={texts.payloadAndStatusesOf(summary)}
          title={texts.payloadStatusesReactions}
          onClick={() => actions.showDetails(message)}
        >
          <Draw name="code" />
        </button>
      </span>
    </div>
  );
}

const authorOf = ({ journey, author }: MessageRecord): string => (journey ? 'Journey' : author.name);

/** Long texts would make quotes and names unreadable. */
function beginning(text: string): string {
  const characters = [...text.slice(0, 300)];
  return characters.length > 120 ? `${characters.slice(0, 120).join('')}…` : text;
}

/** The reactions to each message, by its id: the newest of each side. */
export function reactionsIn(messages: readonly MessageRecord[]): ReadonlyMap<string, string> {
  const bySide = new Map<string, Map<string, string>>();
  for (const message of messages) {
    const { message_id, emoji = '' } = message.type === 'reaction' ? (contentOf(message).reaction ?? {}) : {};
    if (message_id === undefined) continue;
    const sides = bySide.get(message_id) ?? new Map<string, string>();
    bySide.set(message_id, sides.set(message.direction, emoji));
  }
  return new Map([...bySide].map(([id, sides]) => [id, [...sides.values()].filter(Boolean).join(' ')]));
}
