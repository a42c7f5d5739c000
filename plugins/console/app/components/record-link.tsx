import { Link } from 'wouter-preact';
import { reasonText } from '../../../../core/events/failure-text.js';
import { recordKindOf } from '../../../../core/events/record-kinds.js';
import { CopyText } from './copy.js';
import { wordOfDeliveryState } from './outcome.js';
import { texts } from './texts.js';

/** The page of a record by the kind of its id. Records without a page of their own are shown by the events about them. */
export function pathOf(kind: string, id: string): string {
  const page = PAGES[kind];
  return page ? `/${page}/${encodeURIComponent(id)}` : `/events?about=${encodeURIComponent(id)}`;
}

const PAGES: Readonly<Record<string, string>> = {
  number: 'numbers',
  journey: 'journeys',
  channel: 'channels',
  webhook: 'webhooks',
  delivery: 'deliveries',
  call: 'calls',
  conversation: 'inbox',
  contact: 'contacts',
  advice: 'advice',
};

/** A link to a record, and its id to copy. */
export const RecordLink = ({ kind, id, shown = id }: { kind: string; id: string; shown?: string }) => (
  <span class="record-link">
    <Link href={pathOf(kind, id)}>
      <bdi>{shown}</bdi>
    </Link>
    <CopyText text={id} label={texts.theIdOfThe(kind)} shown="" />
  </span>
);

const OTHER_KEYS: Readonly<Record<string, string>> = { sent: 'message', received: 'message' };

/** The kind of record whose id is under a key such as `webhook`, `other_journey` or `webhook_2`; undefined for other values. */
export const kindOf = (key: string): string | undefined => OTHER_KEYS[key] ?? recordKindOf(key);

/** The key of a value as a label; `status` is also that of a response. */
function labelOf(key: string, value: string): string {
  const words = key === 'status' && /^\d+$/.test(value) ? texts.response : key.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Ids as links and other values as text, each with its key. */
export const Evidence = ({ values }: { values: Readonly<Record<string, string>> }) => (
  <dl class="facts">
    {Object.entries(values).map(([key, value]) => {
      // The summary says it in words.
      if (key === 'cause') return null;
      const kind = kindOf(key);
      return (
        <div key={key} class="fact">
          <dt>{labelOf(key, value)}</dt>
          <dd>
            {kind ? (
              <RecordLink kind={kind} id={value} />
            ) : (
              <bdi>{key === 'reason' ? reasonText(value) : key === 'state' ? wordOfDeliveryState(value) : value}</bdi>
            )}
          </dd>
        </div>
      );
    })}
  </dl>
);
