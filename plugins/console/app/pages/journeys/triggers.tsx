import { Link } from 'wouter-preact';
import { Failure, Loading, Status } from '../../components/status.js';
import { useQuery } from '../../data/query.js';
import { type TriggerInOrder, wordsOfTrigger } from './records.js';
import { texts } from './texts.js';

const NOT_TRIED = { disabled: texts.notTriedDisabled, not_published: texts.notTriedUnpublished } as const;

/** The triggers of a number in the order in which they are tried. `of`: the journey that is shown. */
export function Triggers({ number, of }: { number: string; of?: string }) {
  const { data, error, reload } = useQuery<{ triggers: readonly TriggerInOrder[] }>(`/numbers/${number}/triggers`, [
    'journey.changed',
    'state.',
  ]);
  if (error) return <Failure error={error} retry={reload} />;
  if (!data) return <Loading />;
  if (data.triggers.length === 0) return <p class="quiet">{texts.noTriggers}</p>;
  return (
    <>
      <p class="quiet">{texts.whenTriggersAreTried}</p>
      <ol class="triggers">
        {data.triggers.map(({ journey, name, position, trigger, not_tried, shadowed_by }) => (
          <li key={`${journey} ${position}`} class={journey === of ? 'own' : undefined}>
            {texts.starts(
              wordsOfTrigger(trigger),
              <Link href={`/journeys/${journey}?tab=triggers`}>
                <bdi>{name}</bdi>
              </Link>,
            )}
            {not_tried && (
              <p>
                <Status tone="neutral">{NOT_TRIED[not_tried]}</Status>
              </p>
            )}
            {shadowed_by && (
              <p>
                <Status tone="warn">{texts.neverStartsIt}</Status>{' '}
                {texts.shadowedBy(
                  shadowed_by.position + 1,
                  <Link href={`/journeys/${shadowed_by.journey}?tab=triggers`}>
                    <bdi>{shadowed_by.name}</bdi>
                  </Link>,
                )}
              </p>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
