import { useId, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { copy } from '../../components/copy.js';
import { Integrations } from '../../components/integration-panel.js';
import type { PanelsView } from '../../components/panel-view.js';
import { Failure, Loading } from '../../components/status.js';
import { admin } from '../../data/admin.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord } from '../../data/records.js';
import type { Integration } from './records.js';
import { texts } from './texts.js';

interface Listed {
  readonly conversation: { readonly uuid: string };
  readonly contact: { readonly id: string; readonly fields: Readonly<Record<string, unknown>> };
}

const SHOWN = 100;

/** The panel of an integration beside a conversation, with its actions, as the desk of the inbox shows it. */
export function AgentView({ integration }: { integration: Integration }) {
  const id = useId();
  const { data, error, reload } = useQuery<{ conversations: readonly Listed[] }>(
    `/conversations?number=${integration.number}&limit=${SHOWN}`,
    ['message.received', 'state.'],
  );
  const [chosen, setChosen] = useState<string>();
  if (!data) return error ? <Failure error={error} retry={reload} /> : <Loading />;
  const { conversations } = data;
  const current = chosen ?? conversations[0]?.conversation.uuid;
  if (current === undefined) return <p>{texts.noContactHasWrittenTo(<Link href="/inbox">{texts.writeAsAContactIn}</Link>)}</p>;
  return (
    <div class="part">
      <div class="field narrow">
        <label for={id}>{texts.conversationWith}</label>
        <select id={id} class="select" value={current} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
          {conversations.map(({ conversation, contact }) => (
            <option key={conversation.uuid} value={conversation.uuid}>
              {typeof contact.fields.name === 'string' ? `${contact.fields.name} ` : ''}
              {contact.id}
            </option>
          ))}
        </select>
      </div>
      <Panel key={current} conversation={current} integration={integration} />
    </div>
  );
}

function Panel({ conversation, integration }: { conversation: string; integration: Integration }) {
  const numbers = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers').data?.numbers ?? [];
  const { data, error, reload } = useQuery<{ contact: Listed['contact']; views: { readonly integrations?: PanelsView } }>(
    `/conversations/${conversation}?limit=1`,
    ['integration.'],
  );
  if (!data) return error ? <Failure error={error} retry={reload} /> : <Loading />;
  const view = data.views.integrations;
  const own: PanelsView | undefined =
    view?.state === 'loaded'
      ? {
          state: 'loaded',
          data: {
            panels: view.data.panels.filter((panel) => panel.integration === integration.uuid),
            suggested_responses: view.data.suggested_responses.filter((one) => one.integration === integration.uuid),
          },
        }
      : view;
  if (own === undefined) return null;
  const between = { contact: data.contact.id, number: numbers.find(({ uuid }) => uuid === integration.number)?.address ?? '' };
  const thread = {
    uuid: conversation,
    async reload(refresh = false): Promise<void> {
      await admin('GET', `/conversations/${conversation}?limit=1${refresh ? '&refresh=true' : ''}`).catch(() => undefined);
      reload();
    },
  };
  return (
    <Integrations
      thread={thread}
      between={between}
      view={own}
      apply={(text) => void copy(text, texts.theReply)}
      applyTitle={texts.copyTheReply}
    />
  );
}
