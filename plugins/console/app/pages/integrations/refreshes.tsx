import { RecordLink } from '../../components/record-link.js';
import { Failure, Loading, Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { useQuery } from '../../data/query.js';
import { type Click, type IntegrationCall, titleOf, wordsOfCause } from './records.js';

/** Why the panel was loaded again, and what became of clicks: an immediate refresh by header, or a later one. */
export function Refreshes({ uuid }: { uuid: string }) {
  const on = ['integration.', 'state.'];
  const clicks = useQuery<{ clicks: readonly Click[] }>(`/integrations/${uuid}/clicks`, on);
  const calls = useQuery<{ calls: readonly IntegrationCall[] }>(`/integrations/${uuid}/calls`, on).data?.calls ?? [];
  if (!clicks.data) return clicks.error ? <Failure error={clicks.error} retry={clicks.reload} /> : <Loading />;
  const loads = calls.filter(({ kind }) => kind === 'context');
  const callOf = (click: string): IntegrationCall | undefined => calls.find((call) => call.click === click);
  return (
    <div class="part">
      <div class="table-scroll">
        <table class="words">
          <caption>Clicks on actions in the last day</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Action</th>
              <th scope="col">Call</th>
              <th scope="col">Refresh</th>
            </tr>
          </thead>
          <tbody>
            {clicks.data.clicks.map((click) => {
              const call = callOf(click.uuid);
              return (
                <tr key={click.uuid}>
                  <td>
                    <Time at={click.clicked_at} />
                  </td>
                  <td dir="auto">{call ? titleOf(call).replace('Click on ', '') : 'of an earlier run'}</td>
                  <td>
                    <Status tone={click.state === 'accepted' ? 'ok' : click.state === 'failed' ? 'bad' : 'warn'}>
                      {click.state} {click.status ?? click.trouble?.kind ?? ''}
                    </Status>
                  </td>
                  <td>{refreshOf(click, call)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
        {clicks.data.clicks.length === 0 && <p class="quiet">No action was clicked yet.</p>}
      </div>
      <div class="table-scroll">
        <table class="words">
          <caption>Loads of the panel, newest first</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Cause</th>
              <th scope="col">Conversation</th>
            </tr>
          </thead>
          <tbody>
            {loads.map(({ id, at, cause, conversation }) => (
              <tr key={id}>
                <td>
                  <Time at={at} />
                </td>
                <td>{cause ? wordsOfCause[cause] : ''}</td>
                <td>
                  {conversation !== undefined && <RecordLink kind="conversation" id={conversation} shown={conversation.slice(0, 8)} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {loads.length === 0 && <p class="quiet">The panel was not loaded yet.</p>}
      </div>
    </div>
  );
}

function refreshOf({ finished_at }: Click, call: IntegrationCall | undefined) {
  const isImmediate = call?.response?.headers.some(([name, value]) => /-integration-refresh$/i.test(name) && /^\s*true\s*$/i.test(value));
  if (finished_at === undefined) return isImmediate ? 'immediately, by header' : <span class="quiet">none yet</span>;
  return (
    <>
      {isImmediate && 'immediately, by header, and '}by notify/finish at <Time at={finished_at} />
    </>
  );
}
