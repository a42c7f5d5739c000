import { Status } from '../status.js';
import type { Diagnostic } from './editor-props.js';
import type { ShownProblem } from './problems.js';
import { texts } from './texts.js';

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
        <button type="button" class="button plain" aria-label={texts.previousProblem} title={texts.shiftF8} onClick={() => step(-1)}>
          <span aria-hidden="true">↑</span>
        </button>
        <button type="button" class="button plain" aria-label={texts.nextProblem} title={texts.f8} onClick={() => step(1)}>
          <span aria-hidden="true">↓</span>
        </button>
      </div>
      {problem ? (
        <>
          <Status tone={tones[problem.severity]}>{texts.of2(shown.n, problems.length)}</Status>
          <p dir="auto">
            {problem.message} <small>{texts.lineColumn(shown.line, shown.column)}</small>
          </p>
          {problem.fix && !isReadOnly && (
            <button type="button" class="button" title={texts.ctrl} onClick={() => fix(problem)}>
              {problem.fix.label}
            </button>
          )}
        </>
      ) : (
        <p class="quiet">{texts.f8GoesToTheNext(countOf(problems))}</p>
      )}
    </div>
  );
}

function countOf(problems: readonly Diagnostic[]): string {
  const counts = (['error', 'warning', 'hint'] as const).flatMap((severity) => {
    const n = problems.filter((problem) => problem.severity === severity).length;
    return n === 0 ? [] : [texts.nSeverityPluralNS(n, severity)];
  });
  return counts.join(', ');
}
