import { useRef } from 'preact/hooks';
import { Link, useLocation, useSearchParams } from 'wouter-preact';
import { ActButton, ActError, useAct } from '../../components/act.js';
import type { Action } from '../../components/copy.js';
import type { TextPosition } from '../../components/editor/editor-props.js';
import { Draw } from '../../components/icons.js';
import { lazyPart } from '../../components/lazy-part.js';
import { Outdated, outdated } from '../../components/outdated.js';
import { NoSuchRecord } from '../../components/record-list.js';
import { Failure, Loading, Status } from '../../components/status.js';
import { Tabs } from '../../components/tabs.js';
import { ToolAction } from '../../components/tool-action.js';
import { ToolButton } from '../../components/tool-button.js';
import { announce } from '../../data/announce.js';
import { useShortcuts } from '../../data/shortcuts.js';
import { saving, useDraft } from './draft.js';
import { GraphTab } from './graph-tab.js';
import { stateOf } from './records.js';
import { TextTab } from './text-tab.js';
import { texts } from './texts.js';
import { Triggers } from './triggers.js';

const AiCalls = lazyPart(() => import('./simulator/ai-calls.js'));
const Overview = lazyPart(() => import('./overview.js'));
const Revisions = lazyPart(() => import('./revisions.js'));
const Sessions = lazyPart(() => import('./sessions.js'));
const Tests = lazyPart(() => import('./tests.js'));
const Simulator = lazyPart(() => import('./simulator/simulator.js'));

/** One journey: what happens in it, its text, graph, sessions, revisions, triggers and tests. `tab` and `card` of the address say what is shown. */
export function JourneyDetail({ uuid }: { uuid: string }) {
  const [params, setParams] = useSearchParams();
  const [, navigate] = useLocation();
  const draft = useDraft(uuid);
  /** Where the editor begins when the text is shown next. */
  const goTo = useRef<TextPosition | undefined>(undefined);
  const act = useAct();
  const { journey } = draft;
  const save = journey && saving(draft);
  const saveDraft = async (action: Action): Promise<void> => {
    // Another tab may have saved before the event of its save arrived here.
    const result = await act.run(action, ({ status }) => {
      if (status !== 409) return false;
      announce(outdated('draft'));
      draft.reload();
      return true;
    });
    if (result === undefined) return;
    announce(texts.draftSaved);
    draft.set(undefined);
    draft.reload();
  };
  useShortcuts({
    Escape: () => navigate(journey ? `/journeys?number=${journey.number}` : '/journeys'),
    'mod+s': () => {
      if (!draft.isChanged) return;
      // Changes from elsewhere are replaced only by the button beside their warning.
      if (!save) return announce(texts.textIsNotJson);
      if (draft.isOutdated) return announce(outdated('draft'));
      void saveDraft(save);
    },
  });
  if (!journey || draft.text === undefined)
    return (
      <div class="content">
        <h1>{texts.journeys}</h1>
        {draft.status === 404 ? (
          <NoSuchRecord noun="journey" back="/journeys" />
        ) : draft.error ? (
          <Failure error={{ message: draft.error }} retry={draft.reload} />
        ) : (
          <Loading />
        )}
      </div>
    );
  const card = params.get('card') ?? undefined;
  const show = (tab: string, selected = card): void =>
    setParams({ tab, ...(selected !== undefined && { card: selected }) }, { replace: true });
  const openText = ({ line, column }: TextPosition): void => {
    goTo.current = { line, column };
    show('text');
  };
  const [tone, words] = stateOf(journey);
  const publish = (revision: 'staging' | 'production') => ({
    method: 'POST' as const,
    path: `/journeys/${uuid}/publish`,
    payload: { revision },
    command: `posthorn journey publish ${uuid} --revision ${revision}`,
  });
  return (
    <div class="content journey">
      <div class="head">
        <Link href={`/journeys?number=${journey.number}`} class="button plain">
          <Draw name="back" turns /> {texts.journeys}
        </Link>
        <h1>
          <bdi>{journey.name}</bdi>
        </h1>
        <Status tone={tone}>{tone === 'ok' && !draft.isChanged ? texts.publishedSame : words}</Status>
      </div>
      <div class="buttons">
        {save && draft.isChanged && (
          <ToolButton look="button" action={save} label={texts.saveDraft} isDisabled={act.isBusy} onClick={() => void saveDraft(save)} />
        )}
        {!draft.isChanged &&
          (['staging', 'production'] as const).map(
            (revision) =>
              journey.revisions[revision] !== journey.draft && (
                <ToolAction
                  key={revision}
                  act={act}
                  look={revision === 'production' ? 'button' : 'button outlined'}
                  action={publish(revision)}
                  label={texts.publishAs(revision)}
                  announcement={texts.publishedAs(revision)}
                  done={draft.reload}
                />
              ),
          )}
        <ToolAction
          act={act}
          action={{ method: 'POST', path: `/journeys/${uuid}/${journey.enabled ? 'disable' : 'enable'}` }}
          label={journey.enabled ? texts.disable : texts.enable}
          announcement={journey.enabled ? texts.journeyDisabled : texts.journeyEnabled}
          done={draft.reload}
        />
        <ActButton
          look="button bad"
          hasCopy={false}
          action={{ method: 'DELETE', path: `/journeys/${uuid}` }}
          announcement={texts.journeyDeleted}
          done={() => {
            draft.set(undefined);
            navigate('/journeys');
          }}
          confirm={{
            title: texts.deleteQuestion,
            text: <p>{texts.whatDeleteDoes}</p>,
            verb: texts.deleteJourney,
          }}
        >
          {texts.delete}
        </ActButton>
        <ActError error={act.error} />
      </div>
      {draft.isOutdated && <Outdated noun="draft" drop={() => draft.set(undefined)} />}
      {draft.error && <Failure error={{ message: draft.error }} retry={draft.reload} />}
      <Tabs
        label={texts.partsOfJourney}
        current={params.get('tab') ?? 'overview'}
        select={(tab) => show(tab)}
        tabs={[
          { id: 'overview', label: texts.overview, content: () => <Overview draft={draft} show={show} /> },
          {
            id: 'text',
            label: draft.isChanged ? texts.changedText : texts.text,
            content: () => <TextTab draft={draft} goTo={goTo} card={card} show={show} />,
          },
          { id: 'graph', label: texts.graph, content: () => <GraphTab draft={draft} card={card} show={show} openText={openText} /> },
          { id: 'simulator', label: texts.simulator, content: () => <Simulator draft={draft} show={show} /> },
          { id: 'sessions', label: texts.sessions, content: () => <Sessions journey={uuid} show={show} /> },
          {
            id: 'revisions',
            label: texts.revisions,
            content: () => (
              <Revisions
                draft={draft}
                show={show}
                edit={(text) => {
                  draft.set(text);
                  show('text');
                }}
              />
            ),
          },
          { id: 'triggers', label: texts.triggers, content: () => <Triggers number={journey.number} of={uuid} /> },
          { id: 'ai', label: texts.aiCalls, content: () => <AiCalls journey={journey} show={show} /> },
          { id: 'tests', label: texts.tests, content: () => <Tests journey={journey} draft={draft} show={show} /> },
        ]}
      />
    </div>
  );
}
