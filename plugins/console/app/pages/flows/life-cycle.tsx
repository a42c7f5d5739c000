import { ActButton } from '../../components/act.js';
import type { FlowStatus, ShownFlow } from './flow-records.js';

interface Props {
  readonly flow: ShownFlow;
  readonly changed: () => void;
  readonly deleted: () => void;
}

const words = {
  publish: {
    verb: 'Publish',
    announcement: 'The flow is published',
    text: 'Contacts can get it. Its definition cannot be changed any more.',
  },
  deprecate: { verb: 'Deprecate', announcement: 'The flow is deprecated', text: 'It cannot be sent any more. This cannot be undone.' },
  delete: { verb: 'Delete', announcement: 'The flow is deleted', text: 'The draft and its preview are removed.' },
} as const;

const healthWords: Readonly<Partial<Record<FlowStatus, string>>> = { PUBLISHED: 'Restore', THROTTLED: 'Throttle', BLOCKED: 'Block' };

/** The actions of a flow. A disabled button has the reason beside it. */
export const LifeCycle = ({ flow, changed, deleted }: Props) => (
  <ul class="life-cycle" aria-label="Life cycle">
    {(['publish', 'deprecate', 'delete'] as const).map((name) => {
      const { verb, announcement, text } = words[name];
      const reason = flow.refusals[name];
      return (
        <li key={name}>
          <ActButton
            action={
              name === 'delete' ? { method: 'DELETE', path: `/flows/${flow.id}` } : { method: 'POST', path: `/flows/${flow.id}/${name}` }
            }
            look={name === 'publish' ? 'button' : reason === undefined ? 'button bad' : 'button outlined'}
            disabled={reason !== undefined}
            hasCopy={reason === undefined}
            announcement={announcement}
            confirm={{ title: `${verb} “${flow.name}”?`, text, verb, isSafe: name === 'publish' }}
            done={name === 'delete' ? deleted : changed}
          >
            {verb}
          </ActButton>
          {reason !== undefined && <p class="quiet">{reason}</p>}
        </li>
      );
    })}
    {flow.health_moves.map((status) => (
      <li key={status}>
        <ActButton
          action={{ method: 'POST', path: `/flows/${flow.id}/health`, payload: { status } }}
          look="button outlined"
          announcement={`The flow is ${status}`}
          done={changed}
        >
          {healthWords[status]}
        </ActButton>
        <p class="quiet">On the network, the health of its endpoint does this.</p>
      </li>
    ))}
  </ul>
);
