import { Link } from 'wouter-preact';
import { Failure, Loading, Status } from '../../components/status.js';
import { useQuery } from '../../data/query.js';
import { type TriggerInOrder, wordsOfTrigger } from './records.js';

const NOT_TRIED = { disabled: 'not tried: the journey is disabled', not_published: 'not tried: the journey is not published' } as const;

/** The triggers of a number in the order in which they are tried. `of`: the journey that is shown. */
export function Triggers({ number, of }: { number: string; of?: string }) {
  const { data, error, reload } = useQuery<{ triggers: readonly TriggerInOrder[] }>(`/numbers/${number}/triggers`, [
    'journey.changed',
    'state.',
  ]);
  if (error) return <Failure error={error} retry={reload} />;
  if (!data) return <Loading />;
  if (data.triggers.length === 0)
    return <p class="quiet">No journey of this number has a trigger. They start by a call, a schedule or the API.</p>;
  return (
    <>
      <p class="quiet">
        A message that no open session waits for starts the first journey of this list whose trigger matches. Triggers that wait for the
        first message of a contact are tried only then.
      </p>
      <ol class="triggers">
        {data.triggers.map(({ journey, name, position, trigger, not_tried, shadowed_by }) => (
          <li key={`${journey} ${position}`} class={journey === of ? 'own' : undefined}>
            <bdi>{wordsOfTrigger(trigger)}</bdi> starts{' '}
            <Link href={`/journeys/${journey}?tab=triggers`}>
              <bdi>{name}</bdi>
            </Link>
            {not_tried && (
              <p>
                <Status tone="neutral">{NOT_TRIED[not_tried]}</Status>
              </p>
            )}
            {shadowed_by && (
              <p>
                <Status tone="warn">never starts it:</Status> trigger {shadowed_by.position + 1} of{' '}
                <Link href={`/journeys/${shadowed_by.journey}?tab=triggers`}>
                  <bdi>{shadowed_by.name}</bdi>
                </Link>{' '}
                starts first for every such message
              </p>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
