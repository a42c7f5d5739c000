import { useMemo, useState } from 'preact/hooks';
import { ActButton } from '../../components/act.js';
import type { Graph } from '../../components/journey-graph/graph-data.js';
import { Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { useQuery } from '../../data/query.js';
import { cardChanges, type RevisionText } from './card-changes.js';
import type { Draft } from './draft.js';
import { texts } from './overview-texts.js';
import type { Revision } from './records.js';

interface Props {
  readonly draft: Draft;
  readonly show: (tab: string, card?: string) => void;
}

const SHOWN = 8;
const TONES = { added: 'ok', changed: 'neutral', removed: 'warn' } as const;

/** The last publication, its difference to the previous one, and the way back to that one. */
export function Publication({ draft, show }: Props) {
  const { uuid, revisions } = draft.journey!;
  const { data } = useQuery<{ revisions: readonly Revision[] }>(`/journeys/${uuid}/revisions`, ['journey.changed', 'state.']);
  const current = data?.revisions.find(({ uuid: id }) => id === revisions.production);
  const [previous] = (data?.revisions ?? [])
    .filter(({ uuid: id, published_at }) => published_at !== undefined && id !== revisions.production)
    .sort((a, b) => (a.published_at! < b.published_at! ? 1 : -1));
  return (
    <section class="card" aria-label={texts.lastPublication}>
      <h2>{texts.lastPublication}</h2>
      {data && revisions.production === null && <p class="quiet">{texts.nothingPublished}</p>}
      {current && (
        <p>
          {texts.revision(current.count)}
          {current.published_at !== undefined && (
            <>
              , <Time at={current.published_at} />
            </>
          )}
        </p>
      )}
      {current && !previous && <p class="quiet">{texts.noEarlierPublication}</p>}
      {current && previous && <Difference uuid={uuid} before={previous} after={current} show={show} />}
      {previous && <Back {...{ draft, current, show }} to={previous} />}
      <button type="button" class="button plain" onClick={() => show('revisions')}>
        {texts.allRevisions}
      </button>
    </section>
  );
}

function useRevision(journey: string, revision: string): RevisionText | undefined {
  const text = useQuery<{ notebook?: string; json?: string }>(`/journeys/${journey}/revisions/${revision}`).data;
  const drawn = useQuery<{ graph: Graph | null }>(`/journeys/${journey}/graph?revision=${revision}`).data;
  return useMemo(() => text && drawn && { text: text.notebook ?? text.json ?? '', graph: drawn.graph }, [text, drawn]);
}

interface DifferenceProps {
  readonly uuid: string;
  readonly before: Revision;
  readonly after: Revision;
  readonly show: Props['show'];
}

function Difference({ uuid, before, after, show }: DifferenceProps) {
  const [isWhole, setWhole] = useState(false);
  const [old, now] = [useRevision(uuid, before.uuid), useRevision(uuid, after.uuid)];
  const changes = useMemo(() => old && now && cardChanges(old, now), [old, now]);
  if (!changes) return null;
  if (changes.length === 0) return <p>{texts.sameCards(before.count)}</p>;
  return (
    <>
      <p>{texts.cardsDiffer(changes.length, before.count)}</p>
      <ul class="card-changes">
        {changes.slice(0, isWhole ? undefined : SHOWN).map(({ card, change, lines }) => (
          <li key={card}>
            <Status tone={TONES[change]}>{texts[change]}</Status>{' '}
            {change === 'removed' ? (
              <bdi>{card}</bdi>
            ) : (
              <button type="button" class="button plain" onClick={() => show('graph', card)}>
                <bdi>{card}</bdi>
              </button>
            )}
            {lines.length > 0 && (
              <details>
                <summary>{texts.lines(lines.length)}</summary>
                <pre>
                  {lines.map(({ sign, text }, i) => (
                    <span key={i} class={sign === '+' ? 'added' : 'removed'}>
                      {`${sign} ${text}\n`}
                    </span>
                  ))}
                </pre>
              </details>
            )}
          </li>
        ))}
      </ul>
      {changes.length > SHOWN && !isWhole && (
        <button type="button" class="button plain" onClick={() => setWhole(true)}>
          {texts.showMore(changes.length - SHOWN)}
        </button>
      )}
    </>
  );
}

/** Publishes an earlier revision again, which becomes the draft, after it has shown what changes with that. */
export function Back({ draft, to, current, show }: { draft: Draft; to: Revision; current: Revision | undefined; show: Props['show'] }) {
  const { uuid, draft: replaces } = draft.journey!;
  return (
    <ActButton
      look="button outlined"
      hasCopy={false}
      disabled={draft.isChanged}
      action={{ method: 'POST', path: `/journeys/${uuid}/publish`, payload: { revision: 'production', of: to.uuid, replaces } }}
      announcement={texts.publishedAgain(to.count)}
      done={draft.reload}
      confirm={{
        title: texts.goBackQuestion(to.count),
        text: (
          <>
            {current && <Difference uuid={uuid} before={current} after={to} show={show} />}
            <p>{texts.whatGoingBackDoes(to.format === 'definition')}</p>
          </>
        ),
        verb: texts.publishAgain(to.count),
        isSafe: true,
      }}
    >
      {texts.goBack(to.count)}
    </ActButton>
  );
}
