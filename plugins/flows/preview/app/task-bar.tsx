import { Chevron } from '../../../../core/web/icons.js';
import { Again, Braces } from './icons.js';
import { type Event, type Session, screenOf } from './session.js';
import { texts } from './texts.js';

export interface TaskBarProps {
  readonly session: Session;
  readonly dispatch: (event: Event) => void;
  readonly interactive: boolean;
  readonly play: () => void;
  readonly problems: number;
  readonly hasErrors: boolean;
  readonly panel: 'problems' | 'log' | undefined;
  readonly toggleProblems: (() => void) | undefined;
  readonly toggleLog: (() => void) | undefined;
  readonly showData: (() => void) | undefined;
  /** Whether the flow was opened from a conversation; a contact needs no controls. */
  readonly isOpened: boolean;
}

/** The controls of the preview: screens, restart, screen data, problems, log. */
export function TaskBar(props: TaskBarProps) {
  const { session, dispatch, interactive, play, problems, hasErrors, panel, toggleProblems, toggleLog, showData, isOpened } = props;
  if (isOpened && problems === 0) return null;
  const ids = [...session.flow.screens.keys()];
  const current = screenOf(session)?.id;
  const at = ids.indexOf(current ?? '');
  const show = (index: number) => () => dispatch({ kind: 'show', screen: ids[index]! });
  return (
    <nav class="task-bar" aria-label={texts.previewControls}>
      {!isOpened && ids.length > 0 && (
        <>
          <button type="button" class="tool" aria-label={texts.previousScreen} disabled={at <= 0} onClick={show(at - 1)}>
            <Chevron back />
          </button>
          <select
            class="tool-select"
            aria-label={texts.screen}
            value={current}
            onChange={({ currentTarget }) => dispatch({ kind: 'show', screen: currentTarget.value })}
          >
            {ids.map((id) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
          <button type="button" class="tool" aria-label={texts.nextScreen} disabled={at >= ids.length - 1} onClick={show(at + 1)}>
            <Chevron />
          </button>
          {interactive ? (
            <button
              type="button"
              class="tool"
              aria-label={texts.restart}
              title={texts.restart}
              onClick={() => dispatch({ kind: 'restart' })}
            >
              <Again />
            </button>
          ) : (
            <button type="button" class="tool worded strong" onClick={play}>
              {texts.play}
            </button>
          )}
          {showData && (
            <button
              type="button"
              class="tool"
              aria-label={texts.screenData}
              title={texts.screenData}
              aria-haspopup="dialog"
              onClick={showData}
            >
              <Braces />
            </button>
          )}
        </>
      )}
      {toggleProblems && (
        <button
          type="button"
          class={`tool worded ${hasErrors ? 'alarm' : ''}`}
          aria-pressed={panel === 'problems'}
          onClick={toggleProblems}
        >
          {problems} {hasErrors ? (problems === 1 ? texts.problem : texts.problems2) : problems === 1 ? texts.hint2 : texts.hints}
        </button>
      )}
      {toggleLog && (
        <button type="button" class="tool worded" aria-pressed={panel === 'log'} onClick={toggleLog}>
          {texts.log}
        </button>
      )}
    </nav>
  );
}
