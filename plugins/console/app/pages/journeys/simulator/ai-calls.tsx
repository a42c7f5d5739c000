import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { addSheet } from '../../../components/page-sheet.js';
import { Empty, Failure, Loading, Status } from '../../../components/status.js';
import { duration, Time } from '../../../components/time.js';
import { useQuery } from '../../../data/query.js';
import simulatorSheet from '../../../styles/simulator.page.css';
import type { Journey } from '../records.js';
import { Reply, Request } from './model-calls.js';
import type { Connection, ModelMessage, Recording } from './records.js';
import { simulatorOf } from './simulation.js';
import { texts } from './texts.js';

addSheet(simulatorSheet);

interface AiCall {
  readonly uuid: string;
  readonly session: string;
  readonly at: string;
  readonly journey: string;
  readonly name: string;
  readonly connection: string;
  readonly model: string;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly elapsed_ms: number;
  readonly outcome: string;
  /** The key of a recording of the connection. */
  readonly recording?: string;
}

interface Props {
  readonly journey: Journey;
  readonly show: (tab: string, card?: string) => void;
}

/** The calls of models in conversations with a journey, and the requests and replies that connections recorded. */
export default function AiCalls({ journey, show }: Props) {
  const { data, error, reload } = useQuery<{ ai_calls: readonly AiCall[] }>(`/ai-calls?number=${journey.number}&limit=500`, [
    'journey.',
    'state.',
  ]);
  const connections = useQuery<{ ai_connections: readonly Connection[] }>(`/ai-connections?number=${journey.number}`, ['state.']).data
    ?.ai_connections;
  if (error) return <Failure error={error} retry={reload} />;
  if (!data || !connections) return <Loading />;
  const calls = data.ai_calls.filter((call) => call.journey === journey.uuid);
  const nameOf = (uuid: string): string => connections.find((one) => one.uuid === uuid)?.name ?? uuid;
  return (
    <div class="sim-forms">
      {calls.length === 0 ? (
        <Empty title={texts.noAiCallsYet}>
          <p>{texts.whatCallsAre}</p>
        </Empty>
      ) : (
        <div class="table-scroll">
          <table>
            <thead>
              <tr>
                <th>{texts.at}</th>
                <th>{texts.agent}</th>
                <th>{texts.outcome}</th>
                <th>{texts.connection}</th>
                <th>{texts.tokensInOut}</th>
                <th>{texts.took}</th>
                <th>{texts.session}</th>
                <th>{texts.recording}</th>
              </tr>
            </thead>
            <tbody>
              {calls.map((call) => (
                <CallRow key={call.uuid} call={call} nameOf={nameOf} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <h2>{texts.recorded}</h2>
      {connections.map((connection) => (
        <Recordings key={connection.uuid} connection={connection} journey={journey.uuid} show={show} />
      ))}
      {connections.length === 0 && <p class="quiet">{texts.noConnections}</p>}
    </div>
  );
}

const COLUMNS = 8;

/** A call in a conversation. If its connection recorded it, a button shows the request and the reply below it. */
function CallRow({ call, nameOf }: { call: AiCall; nameOf: (uuid: string) => string }) {
  const { at, name, outcome, connection, model, tokens, elapsed_ms, session, recording } = call;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <tr>
        <td>
          <Time at={at} />
        </td>
        <td>
          <bdi>{name}</bdi>
        </td>
        <td>
          <Status tone={outcome === 'answered' ? 'ok' : 'bad'}>{outcome}</Status>
        </td>
        <td>
          <bdi>{nameOf(connection)}</bdi> <bdi class="quiet">{model}</bdi>
        </td>
        <td>
          {tokens.input}, {tokens.output}
        </td>
        <td>{duration(elapsed_ms)}</td>
        <td>
          <Link href={`/events?about=${session}`}>…{session.slice(-8)}</Link>
        </td>
        <td>
          {recording !== undefined && (
            <button type="button" class="button plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? texts.hide : texts.show}
            </button>
          )}
        </td>
      </tr>
      {isOpen && recording !== undefined && (
        <tr>
          <td colSpan={COLUMNS}>
            <Recorded connection={connection} of={recording} />
          </td>
        </tr>
      )}
    </>
  );
}

function Recorded({ connection, of }: { connection: string; of: string }) {
  const { data, error, reload } = useQuery<{ recordings: readonly Recording[] }>(`/ai-connections/${connection}/recordings`);
  if (!data) return error ? <Failure error={error} retry={reload} /> : <Loading />;
  const found = data.recordings.find(({ key }) => key === of);
  if (!found) return <p class="quiet">{texts.recordingDeleted}</p>;
  return (
    <div class="sim-detail">
      <Request call={readRequest(found.request)} isOpen />
      <Reply reply={found.reply} />
    </div>
  );
}

/** More are shown on demand. */
const PAGE = 20;

function Recordings({ connection, journey, show }: { connection: Connection; journey: string; show: Props['show'] }) {
  const { data, error, reload } = useQuery<{ recordings: readonly Recording[] }>(`/ai-connections/${connection.uuid}/recordings`, [
    'journey.',
    'state.',
  ]);
  const [count, setCount] = useState(PAGE);
  if (error) return <Failure error={error} retry={reload} />;
  const { recordings = [] } = data ?? {};
  const use = (): void => {
    const { setup } = simulatorOf(journey);
    setup.value = { ...setup.value, model: 'recordings', recordings };
    show('simulator');
  };
  return (
    <section class="sim-detail" aria-label={texts.recordingsOf(connection.name.slice(0, 60))}>
      <div class="buttons">
        <h3>
          <bdi>{connection.name}</bdi>
        </h3>
        <span class="quiet">
          {[connection.vendor, connection.model, connection.has_token && texts.hasAToken].filter(Boolean).join(' · ')}
        </span>
        {recordings.length > 0 && (
          <button type="button" class="button outlined" onClick={use}>
            {texts.replay}
          </button>
        )}
      </div>
      {recordings.length === 0 && <p class="quiet">{connection.record ? texts.nothingRecorded : texts.recordIsOff}</p>}
      <ul class="sim-calls">
        {recordings.slice(0, count).map(({ key, request, reply }) => (
          <li key={key}>
            <span class="quiet">{texts.tokens(reply.tokens.input, reply.tokens.output)}</span>
            <Request call={readRequest(request)} />
            <Reply reply={reply} />
          </li>
        ))}
      </ul>
      {recordings.length > count && (
        <button type="button" class="button plain" onClick={() => setCount(count + PAGE)}>
          {texts.showMoreOf(recordings.length)}
        </button>
      )}
    </section>
  );
}

/** A recorded request is JSON with its dates and ids replaced. */
function readRequest(text: string): Parameters<typeof Request>[0]['call'] {
  try {
    const { messages = [], tools = [] } = JSON.parse(text) as Partial<Parameters<typeof Request>[0]['call']>;
    return { messages, tools };
  } catch {
    return { messages: [{ role: 'user', content: text } satisfies ModelMessage], tools: [] };
  }
}
