import { Link } from 'wouter-preact';
import { CopyText } from '../../components/copy.js';
import { Draw } from '../../components/icons.js';
import { lazyPart } from '../../components/lazy-part.js';
import { Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { countOf, type ShownFlow, toneOfStatus } from './flow-records.js';
import { LifeCycle } from './life-cycle.js';
import { PreviewLink } from './preview-link.js';
import { unsaved } from './unsaved.js';

const FlowSettings = lazyPart(() => import('./flow-settings.js'));

interface Props {
  readonly flow: ShownFlow;
  /** The path of the list. */
  readonly back: string;
  readonly reload: () => void;
  readonly deleted: () => void;
}

/** A flow in the list: its state, what can be done with it, and the way to its editor. */
export const FlowDetail = ({ flow, back, reload, deleted }: Props) => (
  <article class="detail">
    <div class="detail-head">
      <h2>
        <bdi>{flow.name}</bdi>
      </h2>
      <Link href={back} class="button plain back">
        <Draw name="back" turns /> Flows
      </Link>
    </div>
    <p class="buttons">
      <Link href={`/flows/${flow.id}?view=editor`} class="button">
        {flow.refusals.upload === undefined ? 'Edit and try' : 'Read and try'}
      </Link>
      <Link href={`/flows/new?copy=${flow.id}`} class="button outlined">
        Copy to a draft
      </Link>
    </p>
    {unsaved.has(flow.id) && <p class="callout">The editor has changes that are not saved; what is below is about the saved text.</p>}
    <dl class="facts">
      <dt>Status</dt>
      <dd>
        <Status tone={toneOfStatus[flow.status]}>{flow.status}</Status>
      </dd>
      <dt>Problems</dt>
      <dd>
        <Status tone={flow.validation_errors.length > 0 ? 'bad' : 'ok'}>{countOf(flow.validation_errors.length, 'error')}</Status>{' '}
        {flow.hints.length > 0 && <Status tone="warn">{countOf(flow.hints.length, 'hint')}</Status>}
      </dd>
      <dt>Screens</dt>
      <dd>{flow.screens.join(', ') || 'none'}</dd>
      <dt>Categories</dt>
      <dd>{flow.categories.join(', ')}</dd>
      <dt>Business account</dt>
      <dd>
        <bdi>{flow.account}</bdi>
      </dd>
      {flow.json_version !== undefined && (
        <>
          <dt>Version</dt>
          <dd>{flow.json_version}</dd>
        </>
      )}
      {flow.endpoint_uri !== undefined && (
        <>
          <dt>Endpoint</dt>
          <dd>
            <CopyText text={flow.endpoint_uri} label="the endpoint" />
          </dd>
        </>
      )}
      <dt>Changed</dt>
      <dd>
        <Time at={flow.updated_at} />
      </dd>
      <dt>Id</dt>
      <dd>
        <CopyText text={flow.id} label="the id of the flow" />
      </dd>
    </dl>
    <h3>Life cycle</h3>
    <LifeCycle flow={flow} changed={reload} deleted={deleted} />
    <h3>Preview link</h3>
    <p class="quiet">People with the link can play the flow for 30 days, without signing in.</p>
    <PreviewLink id={flow.id} />
    {flow.refusals.update === undefined && (
      <>
        <h3>Details</h3>
        <FlowSettings key={flow.updated_at} flow={flow} changed={reload} />
      </>
    )}
  </article>
);
