import { useState } from 'preact/hooks';
import { Link, useLocation, useSearchParams } from 'wouter-preact';
import { Sheet } from '../../../../../core/web/sheet.js';
import { ActButton, ActError, useAct } from '../../components/act.js';
import { CopyText } from '../../components/copy.js';
import { EndpointFacts } from '../../components/endpoint-health.js';
import { Draw } from '../../components/icons.js';
import { ShownOnce } from '../../components/snippet.js';
import { Status } from '../../components/status.js';
import { Tabs } from '../../components/tabs.js';
import { Time } from '../../components/time.js';
import { ToolAction } from '../../components/tool-action.js';
import { announce } from '../../data/announce.js';
import type { Endpoint } from '../../data/endpoints.js';
import { controlOf } from '../../data/operator.js';
import type { NumberRecord } from '../../data/records.js';
import { AgentView } from './agent-view.js';
import { Calls } from './calls.js';
import { IntegrationForm } from './form.js';
import { type Integration, stateOf } from './records.js';
import { Refreshes } from './refreshes.js';
import { TryAnswer } from './try-answer.js';

interface IntegrationDetailProps {
  readonly integration: Integration;
  /** Undefined if it was not called in the last day. */
  readonly endpoint: Endpoint | undefined;
  readonly numbers: readonly NumberRecord[];
  /** A secret that was just created; only that response had it. */
  readonly secret: string | undefined;
  /** Reads the list again. Changes of a name have no event. */
  readonly reload: () => void;
  readonly query: string;
}

/** An integration: what it declared, what agents see of it, its calls and refreshes, and a place to try an answer. */
export function IntegrationDetail({ integration, endpoint, numbers, secret, reload, query }: IntegrationDetailProps) {
  const [search, setSearch] = useSearchParams();
  const { name, uuid, enabled } = integration;
  const act = useAct();
  const [, navigate] = useLocation();
  const [isEditing, setEditing] = useState(false);
  const { tone, text } = stateOf(integration, endpoint);
  return (
    <section class="detail" aria-label="Integration">
      <div class="detail-head">
        <Link href={`/integrations${query}`} class="button plain back">
          <Draw name="back" turns /> Integrations
        </Link>
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <Status tone={tone}>{text}</Status>
      </div>
      {secret !== undefined && (
        <ShownOnce text={secret} what="secret">
          <p>Your program verifies the signatures of the calls with it.</p>
        </ShownOnce>
      )}
      <div class="buttons">
        <ToolAction
          act={act}
          label="Repeat the handshake"
          announcement="The handshake was repeated"
          done={reload}
          action={{ method: 'POST', path: `/integrations/${uuid}/handshake` }}
        />
        <ToolAction
          act={act}
          label={enabled ? 'Disable' : 'Enable'}
          announcement={enabled ? 'The integration is disabled' : 'The integration is enabled'}
          look={enabled ? 'button outlined' : 'button'}
          done={reload}
          action={{ method: 'PATCH', path: `/integrations/${uuid}`, payload: { enabled: !enabled } }}
        />
        <button
          type="button"
          class="button outlined"
          {...controlOf({ method: 'PATCH', path: `/integrations/${uuid}` })}
          onClick={() => setEditing(true)}
        >
          Edit…
        </button>
        <ActButton
          action={{ method: 'DELETE', path: `/integrations/${uuid}` }}
          look="button bad"
          hasCopy={false}
          announcement="The integration was deleted"
          done={() => {
            reload();
            navigate(`/integrations${query}`);
          }}
          confirm={{
            title: `Delete ${name}`,
            text: <p>Agents no longer see its panel. Its secret and token are deleted, and this cannot be undone.</p>,
            verb: 'Delete the integration',
          }}
        >
          Delete…
        </ActButton>
      </div>
      <ActError error={act.error} />
      {isEditing && (
        <Sheet title="Edit the integration" look="drawer" close={() => setEditing(false)}>
          <IntegrationForm
            integration={integration}
            numbers={numbers}
            done={() => {
              announce('The integration was saved');
              setEditing(false);
              reload();
            }}
          />
        </Sheet>
      )}
      <Tabs
        label="Parts of the integration"
        current={search.get('tab') ?? 'about'}
        select={(tab) =>
          setSearch((before) => {
            const next = new URLSearchParams(before);
            next.set('tab', tab);
            next.delete('call');
            return next;
          })
        }
        tabs={[
          { id: 'about', label: 'Capabilities', content: () => <About integration={integration} endpoint={endpoint} numbers={numbers} /> },
          { id: 'panel', label: 'As agents see it', content: () => <AgentView integration={integration} /> },
          { id: 'calls', label: 'Calls', content: () => <Calls uuid={uuid} /> },
          { id: 'refreshes', label: 'Refreshes', content: () => <Refreshes uuid={uuid} /> },
          { id: 'try', label: 'Try an answer', content: () => <TryAnswer integration={integration} /> },
        ]}
      />
    </section>
  );
}

function About({ integration, endpoint, numbers }: Pick<IntegrationDetailProps, 'integration' | 'endpoint' | 'numbers'>) {
  const { handshake, url, uuid, authorization } = integration;
  const { capabilities, trouble, warnings = [] } = handshake;
  const number = numbers.find((one) => one.uuid === integration.number);
  return (
    <div class="part">
      {trouble && (
        <p class="callout bad">
          The handshake failed: <span dir="auto">{trouble.reason}</span> <code>{trouble.kind}</code>
        </p>
      )}
      <dl class="facts">
        <EndpointFacts endpoint={endpoint} />
        <dt>URL</dt>
        <dd>
          <CopyText text={url} label="the URL" />
        </dd>
        <dt>Number</dt>
        <dd>
          <Link href={`/numbers/${integration.number}`}>{number ? <bdi>{number.name}</bdi> : integration.number}</Link>
        </dd>
        <dt>Authorization</dt>
        <dd>{authorization === null ? 'signature only' : `signature, and ${authorization} with an API token`}</dd>
        <dt>Handshake</dt>
        <dd>{handshake.at === undefined ? 'not made yet' : <Time at={handshake.at} />}</dd>
        {handshake.version !== undefined && (
          <>
            <dt>Version</dt>
            <dd class="mono" dir="auto">
              {handshake.version}
            </dd>
          </>
        )}
        {capabilities && (
          <>
            <dt>Actions</dt>
            <dd>{capabilities.actions ? 'declared' : 'not declared: ignored in answers'}</dd>
            <dt>Suggested replies</dt>
            <dd>{capabilities.suggested_responses ? 'declared' : 'not declared: ignored in answers'}</dd>
          </>
        )}
        <dt>Integration</dt>
        <dd>
          <CopyText text={uuid} label="the id of the integration" />
        </dd>
      </dl>
      {capabilities && <ContextObjects objects={capabilities.context_objects} />}
      {warnings.length > 0 && (
        <div class="card">
          <h3>Ignored in the response to the handshake</h3>
          <ul class="named-problems">
            {warnings.map(({ path, message }) => (
              <li key={path}>
                <code>{path}</code> <span dir="auto">{message}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

const ContextObjects = ({ objects }: { objects: NonNullable<Integration['handshake']['capabilities']>['context_objects'] }) =>
  objects.length === 0 ? (
    <p class="quiet">The handshake declared no context objects.</p>
  ) : (
    <div class="table-scroll">
      <table class="words">
        <caption>Context objects, in the order in which agents see them</caption>
        <thead>
          <tr>
            <th scope="col">Title</th>
            <th scope="col">Code</th>
            <th scope="col">Type</th>
          </tr>
        </thead>
        <tbody>
          {objects.map(({ title, code, type }) => (
            <tr key={code}>
              <th scope="row" dir="auto">
                {title}
              </th>
              <td class="mono" dir="auto">
                {code}
              </td>
              <td>{type}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
