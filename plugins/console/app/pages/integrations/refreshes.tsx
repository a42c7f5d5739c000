import { RecordLink } from '../../components/record-link.js';
import { Failure, Loading, Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { useQuery } from '../../data/query.js';
import { type Click, type IntegrationCall, titleOf, wordsOfCause } from './records.js';
import { texts } from './texts.js';

const STATES: Readonly<Record<Click['state'], string>> = { sent: texts.sent, accepted: texts.accepted, failed: texts.isFailed };

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
          <caption>{texts.clicksOnActionsInThe}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.time}</th>
              <th scope="col">{texts.action}</th>
              <th scope="col">{texts.call}</th>
              <th scope="col">{texts.refresh}</th>
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
                  <td dir="auto">{call ? titleOf(call).replace(texts.clickOn3, '') : texts.ofAnEarlierRun}</td>
                  <td>
                    <Status tone={click.state === 'accepted' ? 'ok' : click.state === 'failed' ? 'bad' : 'warn'}>
                      {STATES[click.state]} {click.status ?? click.trouble?.reason ?? ''}
                    </Status>
                  </td>
                  <td>{refreshOf(click, call)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
        {clicks.data.clicks.length === 0 && <p class="quiet">{texts.noActionWasClickedYet}</p>}
      </div>
      <div class="table-scroll">
        <table class="words">
          <caption>{texts.loadsOfThePanelNewest}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.time}</th>
              <th scope="col">{texts.cause}</th>
              <th scope="col">{texts.conversation}</th>
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
        {loads.length === 0 && <p class="quiet">{texts.thePanelWasNotLoaded}</p>}
      </div>
    </div>
  );
}

function refreshOf({ finished_at }: Click, call: IntegrationCall | undefined) {
  const isImmediate = call?.response?.headers.some(([name, value]) => /-integration-refresh$/i.test(name) && /^\s*true\s*$/i.test(value));
  if (finished_at === undefined) return isImmediate ? 'immediately, by header' : <span class="quiet">{texts.noneYet}</span>;
  return <>{texts.immediatelyByHeaderAndBy(isImmediate, <Time at={finished_at} />)}</>;
}
