import { Link } from 'wouter-preact';
import { ActButton } from '../../components/act.js';
import { Empty, Failure, Loading, Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { useQuery } from '../../data/query.js';
import type { Session } from './records.js';

const TONES = { waiting: 'ok', ended: 'neutral', failed: 'bad', expired: 'warn' } as const;

/** The newest sessions of a journey, with the card at which each is. */
export default function Sessions({ journey, show }: { journey: string; show: (tab: string, card?: string) => void }) {
  const { data, error, reload } = useQuery<{ sessions: readonly Session[] }>(`/journeys/${journey}/sessions`, [
    'journey.',
    'state.',
    'clock.',
  ]);
  if (error) return <Failure error={error} retry={reload} />;
  if (!data) return <Loading />;
  if (data.sessions.length === 0)
    return (
      <Empty title="No sessions yet">
        <p>
          A session begins when a message starts the journey. Write one on a phone of the <Link href="/inbox">inbox</Link>.
        </p>
      </Empty>
    );
  return (
    <div class="table-scroll">
      <table>
        <thead>
          <tr>
            <th>Session</th>
            <th>State</th>
            <th>Card</th>
            <th>Turns</th>
            <th>Changed</th>
            <th>
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {data.sessions.map(({ uuid, state, card, turns, updated_at, contact }) => (
            <tr key={uuid}>
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
                    announcement="The wait has ended"
                    confirm={{
                      title: 'End the wait?',
                      text: 'The session of the contact ends without an answer.',
                      verb: 'End the session',
                    }}
                    done={reload}
                  >
                    End the wait
                  </ActButton>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
