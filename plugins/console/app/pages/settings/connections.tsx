import { Link } from 'wouter-preact';
import { ActButton } from '../../components/act.js';
import { Status } from '../../components/status.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord } from '../../data/records.js';
import { SettingsSection } from './settings-section.js';
import { texts } from './texts.js';

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
    <SettingsSection query={query} lacks={texts.partNumbers}>
      {({ numbers }) => (
        <>
          <p>{texts.aiBlocksOfJourneysName()}</p>
          {numbers.length === 0 && <p class="quiet">{texts.aConnectionBelongsToA(<Link href="/numbers/new">{texts.createOne}</Link>)}</p>}
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
      <SettingsSection query={query} lacks={texts.aiConnections}>
        {({ ai_connections: connections }) =>
          connections.length === 0 ? (
            <p class="quiet">{texts.noAiConnection}</p>
          ) : (
            <div class="table-scroll">
              <table class="words">
                <thead>
                  <tr>
                    <th scope="col">{texts.name}</th>
                    <th scope="col">{texts.model}</th>
                    <th scope="col">{texts.token}</th>
                    <th scope="col">{texts.state}</th>
                    <th scope="col">{texts.delete2}</th>
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
                        {one.rules && <div class="quiet">{texts.rules(one.rules.length)}</div>}
                        {one.recordings && <div class="quiet">{texts.recordings(one.recordings.length)}</div>}
                      </td>
                      <td>{one.has_token ? <Status tone="ok">{texts.hasAToken}</Status> : <span class="quiet">{texts.none}</span>}</td>
                      <td>{one.enabled ? <Status tone="ok">{texts.enabled}</Status> : <Status tone="neutral">{texts.disabled}</Status>}</td>
                      <td>
                        <ActButton
                          action={{ method: 'DELETE', path: `/ai-connections/${one.uuid}` }}
                          look="button bad"
                          announcement={texts.theConnectionWasDeleted}
                          done={query.reload}
                          confirm={{
                            title: texts.deleteTheConnection(one.name),
                            text: <p>{texts.blocksThatUseItFail}</p>,
                            verb: texts.deleteTheConnection2,
                          }}
                        >
                          {texts.delete}
                          <span class="unseen"> {one.name}</span>
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
