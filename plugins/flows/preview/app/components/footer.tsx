import { type ComponentProps, shownText } from '../definition.js';
import { displayText } from '../evaluate.js';
import { isEnabled } from '../inputs.js';
import { focusInput, useStage } from '../stage.js';
import { texts } from '../texts.js';
import { Inspected } from './inspected.js';
import { renderText } from './render-text.js';

/** The button at the bottom, disabled until every visible input is valid. Pressing it early shows the problems. */
export function Footer({ component }: ComponentProps) {
  const { scope, problems, dispatch } = useStage();
  const isDisabled = !isEnabled(component, scope);
  const hasProblems = problems.size > 0;
  const captions = ['left-caption', 'center-caption', 'right-caption'].map((key) => displayText(component[key], scope));
  const click = () => {
    if (isDisabled) return;
    if (!hasProblems) return dispatch({ kind: 'act', action: component['on-click-action'] });
    dispatch({ kind: 'touch', names: [...problems.keys()] });
    focusInput([...problems.keys()][0]!);
  };
  return (
    <Inspected component={component} look="footer">
      {captions.some(shownText) && (
        <p class="captions">
          {captions.map(
            (caption, i) =>
              shownText(caption) !== '' && (
                <span key={i} dir="auto">
                  {renderText(caption)}
                </span>
              ),
          )}
        </p>
      )}
      <button
        type="button"
        class="button"
        aria-disabled={isDisabled || hasProblems}
        aria-describedby={hasProblems ? 'footer-reason' : undefined}
        onClick={click}
      >
        <span dir="auto">{renderText(displayText(component.label, scope))}</span>
      </button>
      {hasProblems && (
        <span id="footer-reason" class="unseen">
          {problems.size === 1 ? texts.n1AnswerIsMissingOr : texts.answersAreMissingOrInvalid(problems.size)}
        </span>
      )}
    </Inspected>
  );
}
