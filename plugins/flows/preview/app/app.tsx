import { useEffect, useMemo, useReducer, useState } from 'preact/hooks';
import type { PageContent } from '../page-content.js';
import { useSending } from './completed.js';
import { DataSheet } from './data-sheets.js';
import type { FlowModel } from './definition.js';
import { DebugPanel, ProblemPanel } from './panels.js';
import type { Parameters } from './parameters.js';
import { Phone } from './phone.js';
import { replaceFlow } from './replace-flow.js';
import { type Event, play, type Session, screenOf, startSession } from './session.js';
import { TaskBar } from './task-bar.js';
import { texts } from './texts.js';
import { useHost } from './use-host.js';

export interface AppProps {
  readonly content: PageContent;
  readonly flow: FlowModel;
  readonly parameters: Parameters;
}

type AnyEvent = Event | { readonly kind: 'replace'; readonly flow: FlowModel };

const playOrReplace = (session: Session, event: AnyEvent): Session =>
  event.kind === 'replace' ? replaceFlow(session, event.flow) : play(session, event);

/** The phone with the controls below it. Problems and the log are beside the phone, or replace it on narrow pages. */
export function App({ content, flow, parameters }: AppProps) {
  const [session, dispatch] = useReducer(playOrReplace, undefined, () => startSession(flow, parameters.start));
  const inspection = useHost(session, dispatch);
  const [interactive, setInteractive] = useState(parameters.interactive);
  const problems = useMemo(() => [...content.errors, ...content.hints], [content]);
  const [panel, setPanel] = useState<'problems' | 'log' | undefined>(content.errors.length > 0 ? 'problems' : undefined);
  const [showsData, setShowsData] = useState(false);
  const isWide = useIsWide();
  const sending = useSending(content.opened?.answers, session.completion);
  useEffect(() => {
    document.title = content.name;
  }, [content.name]);

  const hasScreens = session.flow.screens.size > 0;
  const closePanel = () => setPanel(undefined);
  const toggle = (which: 'problems' | 'log') => () => setPanel(panel === which && (hasScreens || isWide) ? undefined : which);
  const shownPanel =
    // An editor shows problems and the log beside the preview.
    inspection ? undefined : panel === 'problems' ? (
      <ProblemPanel content={content} close={hasScreens || isWide ? closePanel : undefined} isBeside={isWide} />
    ) : panel === 'log' ? (
      <DebugPanel log={session.log} close={closePanel} isBeside={isWide} />
    ) : undefined;
  return (
    <div class={shownPanel && isWide ? 'page has-aside' : 'page'}>
      <div class="desk">
        <main class="device" aria-label={content.opened ? content.name : texts.previewOf(content.name)}>
          {shownPanel && !isWide ? (
            shownPanel
          ) : (
            <Phone
              session={session}
              dispatch={dispatch}
              interactive={interactive}
              sending={sending}
              notice={content.opened ? undefined : parameters.problem}
              inspection={inspection}
            />
          )}
        </main>
        {shownPanel && isWide && (
          <aside class="beside" aria-label={panel === 'log' ? texts.log : texts.problems}>
            {shownPanel}
          </aside>
        )}
      </div>
      <TaskBar
        session={session}
        dispatch={dispatch}
        interactive={interactive}
        play={() => {
          dispatch({ kind: 'restart' });
          setInteractive(true);
        }}
        problems={inspection ? 0 : problems.length}
        hasErrors={content.errors.length > 0}
        panel={panel}
        toggleProblems={problems.length > 0 && !inspection ? toggle('problems') : undefined}
        toggleLog={parameters.debug && !inspection ? toggle('log') : undefined}
        showData={screenOf(session) && !session.completion ? () => setShowsData(true) : undefined}
        isOpened={content.opened !== undefined}
      />
      {showsData && <DataSheet session={session} dispatch={dispatch} close={() => setShowsData(false)} />}
    </div>
  );
}

function useIsWide(): boolean {
  const query = useMemo(() => matchMedia('(min-width: 900px) and (min-height: 560px)'), []);
  const [isWide, setIsWide] = useState(query.matches);
  useEffect(() => {
    const changed = () => setIsWide(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, [query]);
  return isWide;
}
