import { useSearchParams } from 'wouter-preact';
import { Bytes } from '../../components/bytes.js';
import { CopyText } from '../../components/copy.js';
import { RecordLink } from '../../components/record-link.js';
import { Failure, Loading, Status, toneOfHttp } from '../../components/status.js';
import { duration, Time } from '../../components/time.js';
import { useQuery } from '../../data/query.js';
import { type IntegrationCall, titleOf } from './records.js';
import { texts } from './texts.js';

/** The newest calls to an integration, of which one is shown with what was sent and received. */
export function Calls({ uuid }: { uuid: string }) {
  const [search, setSearch] = useSearchParams();
  const { data, error, reload } = useQuery<{ calls: readonly IntegrationCall[] }>(`/integrations/${uuid}/calls`, [
    'integration.',
    'state.',
  ]);
  if (!data) return error ? <Failure error={error} retry={reload} /> : <Loading />;
  const { calls } = data;
  if (calls.length === 0) return <p class="quiet">{texts.noCallYetRepeatThe}</p>;
  const shown = calls.find(({ id }) => id === search.get('call')) ?? calls[0]!;
  return (
    <div class="part">
      <ul class="calls" aria-label={texts.callsToTheIntegration}>
        {calls.map((call) => (
          <li key={call.id}>
            <button
              type="button"
              class="call-row"
              aria-pressed={call.id === shown.id}
              onClick={() =>
                setSearch((before) => {
                  const next = new URLSearchParams(before);
                  next.set('call', call.id);
                  return next;
                })
              }
            >
              <Time at={call.at} />
              <bdi class="grow">{titleOf(call)}</bdi>
              <span class="quiet">{duration(call.ms)}</span>
              <Outcome call={call} />
            </button>
          </li>
        ))}
      </ul>
      <Shown key={shown.id} call={shown} />
    </div>
  );
}

const Outcome = ({ call: { status, trouble } }: { call: IntegrationCall }) => (
  <Status tone={trouble ? 'bad' : toneOfHttp(status)}>{status ?? trouble?.reason ?? texts.noResponse}</Status>
);

function Shown({ call }: { call: IntegrationCall }) {
  const { url, at, ms, status, conversation, trouble, request, response } = call;
  return (
    <section class="card" aria-label={texts.oneCall}>
      <h3 dir="auto">{titleOf(call)}</h3>
      <dl class="facts">
        <dt>{texts.url}</dt>
        <dd>
          <CopyText text={url} label={texts.theUrl} />
        </dd>
        <dt>{texts.time}</dt>
        <dd>{texts.untilTheWholeResponse(<Time at={at} />, duration(ms))}</dd>
        {conversation !== undefined && (
          <>
            <dt>{texts.conversation}</dt>
            <dd>
              <RecordLink kind="conversation" id={conversation} />
            </dd>
          </>
        )}
        {trouble && (
          <>
            <dt>{texts.failed}</dt>
            <dd dir="auto" title={trouble.kind}>
              {trouble.reason}
            </dd>
          </>
        )}
      </dl>
      <h4>{texts.request}</h4>
      <Headers headers={request.headers} />
      <Bytes body={{ ...request.body, encoding: 'utf8' }} label={texts.request2} />
      <h4>{texts.response(status === null ? '' : ` ${status}`)}</h4>
      {response === null ? (
        <p class="quiet">{texts.thereWasNoResponse}</p>
      ) : (
        <>
          <Headers headers={response.headers} />
          {call.kind === 'action' ? (
            <p class="quiet">{texts.theBodyOfAResponse}</p>
          ) : (
            <Bytes body={{ ...response.body, encoding: 'utf8' }} label={texts.response2} />
          )}
        </>
      )}
    </section>
  );
}

const Headers = ({ headers }: { headers: readonly (readonly [name: string, value: string])[] }) => (
  <details class="more">
    <summary>{texts.headers(headers.length)}</summary>
    <dl class="facts mono">
      {headers.map(([name, value]) => (
        <div key={name} class="fact">
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  </details>
);
