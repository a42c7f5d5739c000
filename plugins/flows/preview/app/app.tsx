import { useEffect, useMemo, useReducer, useState } from 'preact/hooks';
import type { PageContent } from '../page-content.js';
import type { FlowModel } from './definition.js';
import { DebugPanel, ProblemPanel } from './panels.js';
import type { Parameters } from './parameters.js';
import { Phone } from './phone.js';
import { beginSession, play } from './session.js';
import { TaskBar } from './task-bar.js';

export interface AppProps {
  readonly content: PageContent;
  readonly flow: FlowModel;
  readonly parameters: Parameters;
}

/** The phone, and the controls below it. */
export function App({ content, flow, parameters }: AppProps) {
  const [session, dispatch] = useReducer(play, undefined, () => beginSession(flow, parameters.start));
  const [interactive, setInteractive] = useState(parameters.interactive);
  const problems = useMemo(() => [...content.errors, ...content.hints], [content]);
  const [showsProblems, setShowsProblems] = useState(content.errors.length > 0);
  const [showsLog, setShowsLog] = useState(false);
  useEffect(() => {
    document.title = content.name;
  }, [content.name]);

  const hasScreens = flow.screens.size > 0;
  return (
    <div class="page">
      <main class="device" aria-label={`Preview of ${content.name}`}>
        {showsProblems ? (
          <ProblemPanel content={content} close={hasScreens ? () => setShowsProblems(false) : undefined} />
        ) : showsLog ? (
          <DebugPanel log={session.log} close={() => setShowsLog(false)} />
        ) : (
          <Phone
            session={session}
            dispatch={dispatch}
            interactive={interactive}
            answers={content.opened?.answers}
            notice={parameters.problem}
          />
        )}
      </main>
      <TaskBar
        session={session}
        dispatch={dispatch}
        interactive={interactive}
        play={() => {
          dispatch({ kind: 'restart' });
          setInteractive(true);
        }}
        problems={problems.length}
        hasErrors={content.errors.length > 0}
        showsProblems={showsProblems}
        toggleProblems={problems.length > 0 ? () => setShowsProblems(!showsProblems && hasScreens ? true : !hasScreens) : undefined}
        toggleLog={parameters.debug ? () => setShowsLog(!showsLog) : undefined}
        isOpened={content.opened !== undefined}
      />
    </div>
  );
}
