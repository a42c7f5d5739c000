import { type Event, type Session, screenOf } from './session.js';

export interface TaskBarProps {
  readonly session: Session;
  readonly dispatch: (event: Event) => void;
  readonly interactive: boolean;
  readonly play: () => void;
  readonly problems: number;
  readonly hasErrors: boolean;
  readonly showsProblems: boolean;
  readonly toggleProblems: (() => void) | undefined;
  readonly toggleLog: (() => void) | undefined;
  /** The flow was opened from a conversation: whoever fills it in needs no controls. */
  readonly isOpened: boolean;
}

/** Controls beside the phone: which screen, from the start, what is wrong, what happened. */
export function TaskBar(props: TaskBarProps) {
  const { session, dispatch, interactive, play, problems, hasErrors, showsProblems, toggleProblems, toggleLog, isOpened } = props;
  if (isOpened && problems === 0) return null;
  const ids = [...session.flow.screens.keys()];
  const current = screenOf(session)?.id;
  const at = ids.indexOf(current ?? '');
  const show = (index: number) => () => dispatch({ kind: 'show', screen: ids[index]! });
  return (
    <nav class="task-bar" aria-label="Preview controls">
      {!isOpened && ids.length > 0 && (
        <>
          <button type="button" class="tool" aria-label="Previous screen" disabled={at <= 0} onClick={show(at - 1)}>
            <Chevron back />
          </button>
          <select
            class="tool-select"
            aria-label="Screen"
            value={current}
            onChange={({ currentTarget }) => dispatch({ kind: 'show', screen: currentTarget.value })}
          >
            {ids.map((id) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
          <button type="button" class="tool" aria-label="Next screen" disabled={at >= ids.length - 1} onClick={show(at + 1)}>
            <Chevron />
          </button>
          {interactive ? (
            <button type="button" class="tool worded" onClick={() => dispatch({ kind: 'restart' })}>
              Restart
            </button>
          ) : (
            <button type="button" class="tool worded strong" onClick={play}>
              Play
            </button>
          )}
        </>
      )}
      {toggleProblems && (
        <button type="button" class={`tool worded ${hasErrors ? 'alarm' : ''}`} aria-pressed={showsProblems} onClick={toggleProblems}>
          {problems} {hasErrors ? (problems === 1 ? 'problem' : 'problems') : problems === 1 ? 'hint' : 'hints'}
        </button>
      )}
      {toggleLog && (
        <button type="button" class="tool worded" onClick={toggleLog}>
          Log
        </button>
      )}
    </nav>
  );
}

export const Chevron = ({ back = false }: { back?: boolean }) => (
  <svg class="icon turns" viewBox="0 0 24 24" aria-hidden="true">
    <path d={back ? 'M15 5l-7 7 7 7' : 'M9 5l7 7-7 7'} fill="none" stroke="currentColor" stroke-width="2" />
  </svg>
);
