import { Link } from 'wouter-preact';
import { ActButton } from '../../components/act.js';
import { Status } from '../../components/status.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord } from '../../data/records.js';
import { SettingsSection } from './settings-section.js';

interface Connection {
  readonly uuid: string;
  readonly name: string;
  readonly vendor: string;
  readonly base_url: string | null;
  readonly model: string;
  readonly enabled: boolean;
  readonly has_token: boolean;
  readonly rules?: readonly unknown[];
  readonly recordings?: readonly unknown[];
}

/** The AI connections of every number, whose tokens are never shown. */
export function Connections() {
  const query = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers', ['number.', 'state.']);
  return (
    <SettingsSection query={query} lacks="numbers">
      {({ numbers }) => (
        <>
          <p>
            AI blocks of journeys name a connection: a real model, a script, or recordings. A token is stored encrypted and never shown.
            Tests and scripts create connections with <code>PUT /admin/v1/ai-connections/&#123;uuid&#125;</code>.
          </p>
          {numbers.length === 0 && (
            <p class="quiet">
              A connection belongs to a number: <Link href="/numbers/new">create one</Link> first.
            </p>
          )}
          {numbers.map((number) => (
            <OfNumber key={number.uuid} number={number} />
          ))}
        </>
      )}
    </SettingsSection>
  );
}

function OfNumber({ number: { uuid, name } }: { number: NumberRecord }) {
  const query = useQuery<{ ai_connections: readonly Connection[] }>(`/ai-connections?number=${uuid}`, ['state.']);
  return (
    <section aria-labelledby={`connections-${uuid}`}>
      <h2 id={`connections-${uuid}`}>
        <bdi>{name}</bdi>
      </h2>
      <SettingsSection query={query} lacks="AI connections">
        {({ ai_connections: connections }) =>
          connections.length === 0 ? (
            <p class="quiet">No AI connection.</p>
          ) : (
            <div class="table-scroll">
              <table class="words">
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">Model</th>
                    <th scope="col">Token</th>
                    <th scope="col">State</th>
                    <th scope="col">Delete</th>
                  </tr>
                </thead>
                <tbody>
                  {connections.map((one) => (
                    <tr key={one.uuid}>
                      <th scope="row" dir="auto">
                        {one.name}
                      </th>
                      <td dir="auto">
                        {one.vendor} {one.model}
                        {one.base_url !== null && <div class="quiet mono">{one.base_url}</div>}
                        {one.rules && <div class="quiet">{one.rules.length} rules</div>}
                        {one.recordings && <div class="quiet">{one.recordings.length} recordings</div>}
                      </td>
                      <td>{one.has_token ? <Status tone="ok">has a token</Status> : <span class="quiet">none</span>}</td>
                      <td>{one.enabled ? <Status tone="ok">enabled</Status> : <Status tone="neutral">disabled</Status>}</td>
                      <td>
                        <ActButton
                          action={{ method: 'DELETE', path: `/ai-connections/${one.uuid}` }}
                          look="button bad"
                          announcement="The connection was deleted"
                          done={query.reload}
                          confirm={{
                            title: `Delete the connection ${one.name}`,
                            text: <p>Blocks that use it fail with an error code. Its token and recordings are deleted.</p>,
                            verb: 'Delete the connection',
                          }}
                        >
                          Delete…<span class="unseen"> {one.name}</span>
                        </ActButton>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </SettingsSection>
    </section>
  );
}
