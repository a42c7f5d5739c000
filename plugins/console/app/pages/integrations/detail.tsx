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
import { texts } from './texts.js';
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
    <section class="detail" aria-label={texts.integration}>
      <div class="detail-head">
        <Link href={`/integrations${query}`} class="button plain back">
          <Draw name="back" turns /> {texts.integrations}
        </Link>
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <Status tone={tone}>{text}</Status>
      </div>
      {secret !== undefined && (
        <ShownOnce text={secret} what={texts.secret}>
          <p>{texts.yourProgramVerifiesThe}</p>
        </ShownOnce>
      )}
      <div class="buttons">
        <ToolAction
          act={act}
          label={texts.repeatTheHandshake}
          announcement={texts.theHandshakeWasRepeated}
          done={reload}
          action={{ method: 'POST', path: `/integrations/${uuid}/handshake` }}
        />
        <ToolAction
          act={act}
          label={enabled ? texts.disable : texts.enable}
          announcement={enabled ? texts.theIntegrationIsDisabled : texts.theIntegrationIsEnabled}
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
          {texts.edit}
        </button>
        <ActButton
          action={{ method: 'DELETE', path: `/integrations/${uuid}` }}
          look="button bad"
          hasCopy={false}
          announcement={texts.theIntegrationWasDeleted}
          done={() => {
            reload();
            navigate(`/integrations${query}`);
          }}
          confirm={{
            title: texts.delete(name),
            text: <p>{texts.agentsNoLongerSeeIts}</p>,
            verb: texts.deleteTheIntegration,
          }}
        >
          {texts.delete2}
        </ActButton>
      </div>
      <ActError error={act.error} />
      {isEditing && (
        <Sheet title={texts.editTheIntegration} look="drawer" close={() => setEditing(false)}>
          <IntegrationForm
            integration={integration}
            numbers={numbers}
            done={() => {
              announce(texts.theIntegrationWasSaved);
              setEditing(false);
              reload();
            }}
          />
        </Sheet>
      )}
      <Tabs
        label={texts.partsOfTheIntegration}
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
          {
            id: 'about',
            label: texts.capabilities,
            content: () => <About integration={integration} endpoint={endpoint} numbers={numbers} />,
          },
          { id: 'panel', label: texts.asAgentsSeeIt, content: () => <AgentView integration={integration} /> },
          { id: 'calls', label: texts.calls, content: () => <Calls uuid={uuid} /> },
          { id: 'refreshes', label: texts.refreshes, content: () => <Refreshes uuid={uuid} /> },
          { id: 'try', label: texts.tryAnAnswer, content: () => <TryAnswer integration={integration} /> },
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
        <p class="callout bad" dir="auto" title={trouble.kind}>
          {texts.theHandshakeFailed(trouble.reason)}
        </p>
      )}
      <dl class="facts">
        <EndpointFacts endpoint={endpoint} />
        <dt>{texts.url}</dt>
        <dd>
          <CopyText text={url} label={texts.theUrl} />
        </dd>
        <dt>{texts.number}</dt>
        <dd>
          <Link href={`/numbers/${integration.number}`}>{number ? <bdi>{number.name}</bdi> : integration.number}</Link>
        </dd>
        <dt>{texts.authorization}</dt>
        <dd>{authorization === null ? texts.signatureOnly : texts.signatureAndWithAnApi(authorization)}</dd>
        <dt>{texts.handshake}</dt>
        <dd>{handshake.at === undefined ? texts.notMadeYet : <Time at={handshake.at} />}</dd>
        {handshake.version !== undefined && (
          <>
            <dt>{texts.version}</dt>
            <dd class="mono" dir="auto">
              {handshake.version}
            </dd>
          </>
        )}
        {capabilities && (
          <>
            <dt>{texts.actions}</dt>
            <dd>{capabilities.actions ? texts.declared : texts.notDeclaredIgnoredIn}</dd>
            <dt>{texts.suggestedReplies}</dt>
            <dd>{capabilities.suggested_responses ? texts.declared : texts.notDeclaredIgnoredIn}</dd>
          </>
        )}
        <dt>{texts.integration}</dt>
        <dd>
          <CopyText text={uuid} label={texts.theIdOfTheIntegration} />
        </dd>
      </dl>
      {capabilities && <ContextObjects objects={capabilities.context_objects} />}
      {warnings.length > 0 && (
        <div class="card">
          <h3>{texts.ignoredInTheResponseTo}</h3>
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
    <p class="quiet">{texts.theHandshakeDeclaredNo}</p>
  ) : (
    <div class="table-scroll">
      <table class="words">
        <caption>{texts.contextObjectsInTheOrder}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.title}</th>
            <th scope="col">{texts.code}</th>
            <th scope="col">{texts.type}</th>
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
