import { ActButton } from '../../components/act.js';
import { type FlowStatus, inWords, type ShownFlow } from './flow-records.js';
import { texts } from './texts.js';

interface Props {
  readonly flow: ShownFlow;
  readonly changed: () => void;
  readonly deleted: () => void;
}

const words = {
  publish: {
    verb: texts.publish,
    announcement: texts.theFlowIsPublished,
    text: texts.contactsCanGetItIts,
  },
  deprecate: { verb: texts.deprecate, announcement: texts.theFlowIsDeprecated, text: texts.itCannotBeSentAny },
  delete: { verb: texts.delete, announcement: texts.theFlowIsDeleted, text: texts.theDraftAndItsPreview },
} as const;

const healthWords: Readonly<Partial<Record<FlowStatus, string>>> = {
  PUBLISHED: texts.restore,
  THROTTLED: texts.throttle,
  BLOCKED: texts.block,
};

/** Publishes a flow, after a question. */
export const Publish = ({ flow, done }: { flow: ShownFlow; done: () => void }) => (
  <ActButton
    action={{ method: 'POST', path: `/flows/${flow.id}/publish` }}
    hasCopy={false}
    announcement={texts.theFlowIsPublished}
    confirm={{ title: `${texts.publish} “${flow.name}”?`, text: texts.contactsCanGetItIts, verb: texts.publish, isSafe: true }}
    done={done}
  >
    {texts.publishAfterQuestion}
  </ActButton>
);

/** The actions of a flow. A disabled button has the reason beside it. */
export const LifeCycle = ({ flow, changed, deleted }: Props) => (
  <ul class="life-cycle" aria-label={texts.lifeCycle}>
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
          {reason !== undefined && <p class="quiet">{inWords(reason)}</p>}
        </li>
      );
    })}
    {flow.health_moves.map((status) => (
      <li key={status}>
        <ActButton
          action={{ method: 'POST', path: `/flows/${flow.id}/health`, payload: { status } }}
          look="button outlined"
          announcement={texts.theFlowIs(inWords(status))}
          done={changed}
        >
          {healthWords[status]}
        </ActButton>
        <p class="quiet">{texts.onTheNetworkTheHealth}</p>
      </li>
    ))}
  </ul>
);
