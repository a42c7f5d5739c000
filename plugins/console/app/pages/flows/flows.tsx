import { Link, useLocation, useParams, useSearchParams } from 'wouter-preact';
import { Draw } from '../../components/icons.js';
import { lazyPart } from '../../components/lazy-part.js';
import { addSheet } from '../../components/page-sheet.js';
import { NoSuchRecord, RecordList } from '../../components/record-list.js';
import { Split } from '../../components/split.js';
import { Empty, Failure, Loading, NotLoaded, Status } from '../../components/status.js';
import { useQuery } from '../../data/query.js';
import { useShortcuts } from '../../data/shortcuts.js';
import flowsSheet from '../../styles/flows.page.css';
import { FlowDetail } from './flow-detail.js';
import { inWords, type ShownFlow, statuses, toneOfStatus } from './flow-records.js';
import { NewFlow } from './new-flow.js';
import { texts } from './texts.js';
import { unsaved } from './unsaved.js';

addSheet(flowsSheet);

const FlowEditor = lazyPart(() => import('./flow-editor.js'));
const NEW = 'new';

/** The flows by status, and the editor of each. */
export default function Flows() {
  const { id } = useParams<{ id?: string }>();
  const [search] = useSearchParams();
  return id !== undefined && search.get('view') === 'editor' ? <OpenedFlow key={id} id={id} /> : <FlowList id={id} />;
}

function FlowList({ id }: { id: string | undefined }) {
  const [, navigate] = useLocation();
  const [search] = useSearchParams();
  const { data, error, reload } = useQuery<{ flows: readonly ShownFlow[] }>('/flows', ['state.']);
  const text = search.get('text') ?? '';
  const query = text === '' ? '' : `?${new URLSearchParams({ text })}`;
  const back = `/flows${query}`;
  useShortcuts({ Escape: () => id !== undefined && navigate(back) });
  if (!data)
    return (
      <div class="content">
        <h1>{texts.flows}</h1>
        {error?.status === 404 ? <NotLoaded plugin="flows" /> : error ? <Failure error={error} retry={reload} /> : <Loading />}
      </div>
    );
  const flows = statuses.flatMap((status) => data.flows.filter((flow) => flow.status === status));
  const flow = flows.find((one) => one.id === id);
  const form = (
    <div class="detail">
      <div class="detail-head">
        <h2>{texts.newFlow}</h2>
        <Link href={back} class="button plain back">
          <Draw name="back" turns /> {texts.flows}
        </Link>
      </div>
      <p>{texts.aFlowIsAForm}</p>
      <NewFlow
        key={search.get('copy')}
        copied={search.get('copy') ?? undefined}
        done={(made) => {
          reload();
          navigate(`/flows/${made.id}?view=editor`);
        }}
      />
    </div>
  );
  return (
    <Split
      label={texts.theListOfFlows}
      title={texts.flows}
      list={
        <RecordList
          noun="flow"
          items={flows}
          idOf={(one) => one.id}
          searchedText={(one) => `${one.id} ${one.name} ${one.status} ${one.account} ${one.categories.join(' ')}`}
          fields={texts.nameStatusAccountOr}
          selected={id}
          query={query}
          about={texts.aFlowIsAForm}
          row={(one) => (
            <>
              <div>
                <bdi class="grow">
                  <strong>{one.name}</strong>
                </bdi>
                <Status tone={toneOfStatus[one.status]}>{inWords(one.status)}</Status>
              </div>
              <div>
                <small class="grow">
                  {texts.screenCount(one.screens.length)} · <bdi>{one.account}</bdi>
                </small>
                {one.validation_errors.length > 0 && <Status tone="bad">{texts.errorCount(one.validation_errors.length)}</Status>}
              </div>
            </>
          )}
        />
      }
      detail={
        id === NEW ? (
          form
        ) : flow ? (
          <FlowDetail
            key={id}
            flow={flow}
            back={back}
            reload={reload}
            deleted={() => {
              unsaved.delete(flow.id);
              reload();
              navigate(back);
            }}
          />
        ) : id !== undefined ? (
          <NoSuchRecord noun="flow" back={back} />
        ) : undefined
      }
      nothing={flows.length === 0 ? form : <Empty title={texts.selectAFlow}>{texts.itsStateLifeCycleAnd}</Empty>}
    />
  );
}

function OpenedFlow({ id }: { id: string }) {
  const [, navigate] = useLocation();
  const { data, error, reload } = useQuery<{ flow: ShownFlow; definition: string }>(`/flows/${id}`, ['state.']);
  useShortcuts({ Escape: () => navigate(`/flows/${id}`) });
  if (data) return <FlowEditor flow={data.flow} definition={data.definition} back={`/flows/${id}`} saved={reload} />;
  if (error?.status === 404) return <NoSuchRecord noun="flow" back="/flows" />;
  return <div class="content">{error ? <Failure error={error} retry={reload} /> : <Loading />}</div>;
}
