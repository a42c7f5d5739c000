import { Status } from '../status.js';
import type { Diagnostic } from './editor-props.js';
import type { ShownProblem } from './problems.js';

const tones = { error: 'bad', warning: 'warn', hint: 'neutral' } as const;

interface Props {
  /** The problem at the cursor. */
  readonly shown: ShownProblem | undefined;
  readonly problems: readonly Diagnostic[];
  readonly isReadOnly: boolean;
  readonly step: (by: 1 | -1) => unknown;
  readonly fix: (problem: Diagnostic) => unknown;
}

/** Below the editor: how many problems there are, the one at the cursor, and its fix. */
export function ProblemLine({ shown, problems, isReadOnly, step, fix }: Props) {
  if (problems.length === 0) return null;
  const problem = shown?.found;
  return (
    <div class="editor-problem">
      <div class="editor-steps">
        <button type="button" class="button plain" aria-label="Previous problem" title="Shift+F8" onClick={() => step(-1)}>
          <span aria-hidden="true">↑</span>
        </button>
        <button type="button" class="button plain" aria-label="Next problem" title="F8" onClick={() => step(1)}>
          <span aria-hidden="true">↓</span>
        </button>
      </div>
      {problem ? (
        <>
          <Status tone={tones[problem.severity]}>
            {shown.n} of {problems.length}
          </Status>
          <p dir="auto">
            {problem.message}{' '}
            <small>
              line {shown.line}, column {shown.column}
            </small>
          </p>
          {problem.fix && !isReadOnly && (
            <button type="button" class="button" title="Ctrl+." onClick={() => fix(problem)}>
              {problem.fix.label}
            </button>
          )}
        </>
      ) : (
        <p class="quiet">
          {countOf(problems)}. <kbd>F8</kbd> goes to the next.
        </p>
      )}
    </div>
  );
}

function countOf(problems: readonly Diagnostic[]): string {
  const counts = (['error', 'warning', 'hint'] as const).flatMap((severity) => {
    const n = problems.filter((problem) => problem.severity === severity).length;
    return n === 0 ? [] : [`${n} ${severity}${n === 1 ? '' : 's'}`];
  });
  return counts.join(', ');
}
