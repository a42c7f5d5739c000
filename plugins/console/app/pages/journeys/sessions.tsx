import { Link, useSearchParams } from 'wouter-preact';
import { ActButton } from '../../components/act.js';
import { Empty, Failure, Loading, Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { useQuery } from '../../data/query.js';
import type { Session } from './records.js';
import { texts } from './texts.js';

const TONES = { waiting: 'ok', ended: 'neutral', failed: 'bad', expired: 'warn' } as const;

/** The newest sessions of a journey, with the card at which each is. */
export default function Sessions({ journey, show }: { journey: string; show: (tab: string, card?: string) => void }) {
  const { data, error, reload } = useQuery<{ sessions: readonly Session[] }>(`/journeys/${journey}/sessions`, [
    'journey.',
    'state.',
    'clock.',
  ]);
  const [params] = useSearchParams();
  const found = params.get('session');
  const isListed = data?.sessions.some(({ uuid }) => uuid === found);
  const older = useQuery<{ session: Session }>(data && found && !isListed ? `/sessions/${encodeURIComponent(found)}` : undefined).data;
  if (error) return <Failure error={error} retry={reload} />;
  if (!data) return <Loading />;
  if (data.sessions.length === 0)
    return (
      <Empty title={texts.noSessionsYet}>
        <p>{texts.whenSessionsBegin(<Link href="/inbox">{texts.inbox}</Link>)}</p>
      </Empty>
    );
  return (
    <div class="table-scroll">
      <table>
        <thead>
          <tr>
            <th>{texts.session}</th>
            <th>{texts.state}</th>
            <th>{texts.card}</th>
            <th>{texts.turns}</th>
            <th>{texts.changed}</th>
            <th>
              <span class="unseen">{texts.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {[...(older?.session.journey === journey ? [older.session] : []), ...data.sessions].map(
            ({ uuid, state, card, turns, updated_at, contact }) => (
              <tr key={uuid} aria-current={uuid === found ? true : undefined}>
                <td>
                  <Link href={`/events?about=${uuid}`}>…{uuid.slice(-8)}</Link>
                </td>
                <td>
                  <Status tone={TONES[state]}>{state}</Status>
                </td>
                <td>
                  <button type="button" class="button plain" onClick={() => show('graph', card)}>
                    <bdi>{card}</bdi>
                  </button>
                </td>
                <td>{turns}</td>
                <td>
                  <Time at={updated_at} />
                </td>
                <td>
                  {state === 'waiting' && (
                    <ActButton
                      look="button outlined"
                      action={{ method: 'DELETE', path: `/contacts/${contact}/claim` }}
                      announcement={texts.waitEnded}
                      confirm={{
                        title: texts.endWaitQuestion,
                        text: texts.whatEndingDoes,
                        verb: texts.endSession,
                      }}
                      done={reload}
                    >
                      {texts.endWait}
                    </ActButton>
                  )}
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}
