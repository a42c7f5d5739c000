import { Link } from 'wouter-preact';
import { CopyText } from '../../components/copy.js';
import { Draw } from '../../components/icons.js';
import { lazyPart } from '../../components/lazy-part.js';
import { Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { inWords, type ShownFlow, toneOfStatus } from './flow-records.js';
import { LifeCycle } from './life-cycle.js';
import { PreviewLink } from './preview-link.js';
import { texts } from './texts.js';
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
        <Draw name="back" turns /> {texts.flows}
      </Link>
    </div>
    <p class="buttons">
      <Link href={`/flows/${flow.id}?view=editor`} class="button">
        {flow.refusals.upload === undefined ? texts.editAndTry : texts.readAndTry}
      </Link>
      <Link href={`/flows/new?copy=${flow.id}`} class="button outlined">
        {texts.copyToADraft}
      </Link>
    </p>
    {unsaved.has(flow.id) && <p class="callout">{texts.theEditorHasChangesThat}</p>}
    <dl class="facts">
      <dt>{texts.status}</dt>
      <dd>
        <Status tone={toneOfStatus[flow.status]}>{inWords(flow.status)}</Status>
      </dd>
      <dt>{texts.problems}</dt>
      <dd>
        <Status tone={flow.validation_errors.length > 0 ? 'bad' : 'ok'}>{texts.errorCount(flow.validation_errors.length)}</Status>{' '}
        {flow.hints.length > 0 && <Status tone="warn">{texts.hintCount(flow.hints.length)}</Status>}
      </dd>
      <dt>{texts.screens}</dt>
      <dd>{flow.screens.join(', ') || texts.none}</dd>
      <dt>{texts.categories}</dt>
      <dd title={flow.categories.join(', ')}>{flow.categories.map((one) => one.toLowerCase().replaceAll('_', ' ')).join(', ')}</dd>
      <dt>{texts.businessAccount}</dt>
      <dd>
        <bdi>{flow.account}</bdi>
      </dd>
      {flow.json_version !== undefined && (
        <>
          <dt>{texts.version}</dt>
          <dd>{flow.json_version}</dd>
        </>
      )}
      {flow.endpoint_uri !== undefined && (
        <>
          <dt>{texts.endpoint}</dt>
          <dd>
            <CopyText text={flow.endpoint_uri} label={texts.theEndpoint} />
          </dd>
        </>
      )}
      <dt>{texts.changed}</dt>
      <dd>
        <Time at={flow.updated_at} />
      </dd>
      <dt>{texts.id}</dt>
      <dd>
        <CopyText text={flow.id} label={texts.theIdOfTheFlow} />
      </dd>
    </dl>
    <h3>{texts.lifeCycle}</h3>
    <LifeCycle flow={flow} changed={reload} deleted={deleted} />
    <h3>{texts.previewLink}</h3>
    <p class="quiet">{texts.peopleWithTheLinkCan}</p>
    <PreviewLink id={flow.id} />
    {flow.refusals.update === undefined && (
      <>
        <h3>{texts.details}</h3>
        <FlowSettings key={flow.updated_at} flow={flow} changed={reload} />
      </>
    )}
  </article>
);
