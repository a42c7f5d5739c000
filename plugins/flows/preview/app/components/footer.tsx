import { type ComponentProps, textOf } from '../definition.js';
import { wordsOf } from '../evaluate.js';
import { isEnabled } from '../inputs.js';
import { focusInput, useStage } from '../stage.js';
import { words } from './words.js';

/** The button at the bottom, disabled until every input that is shown is valid. */
export function Footer({ component }: ComponentProps) {
  const { scope, problems, dispatch } = useStage();
  const isOff = !isEnabled(component, scope);
  const isWaiting = problems.size > 0;
  const captions = ['left-caption', 'center-caption', 'right-caption'].map((key) => wordsOf(component[key], scope));
  const click = () => {
    if (isOff) return;
    if (!isWaiting) return dispatch({ kind: 'act', action: component['on-click-action'] });
    dispatch({ kind: 'touch', names: [...problems.keys()] });
    focusInput([...problems.keys()][0]!);
  };
  return (
    <div class="footer">
      {captions.some(textOf) && (
        <p class="captions">
          {captions.map(
            (caption, i) =>
              textOf(caption) !== '' && (
                <span key={i} dir="auto">
                  {words(caption)}
                </span>
              ),
          )}
        </p>
      )}
      <button
        type="button"
        class="button"
        aria-disabled={isOff || isWaiting}
        aria-describedby={isWaiting ? 'footer-reason' : undefined}
        onClick={click}
      >
        <span dir="auto">{words(wordsOf(component.label, scope))}</span>
      </button>
      {isWaiting && (
        <span id="footer-reason" class="unseen">
          {problems.size === 1 ? 'One answer is missing or not right' : `${problems.size} answers are missing or not right`}
        </span>
      )}
    </div>
  );
}
