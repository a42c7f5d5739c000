import { type ComponentProps, textOf } from '../definition.js';
import { resolveText } from '../evaluate.js';
import { isEnabled } from '../inputs.js';
import { useStage } from '../stage.js';

/** The button at the bottom. It waits until every input that is on show is as it should be. */
export function Footer({ component }: ComponentProps) {
  const { scope, problems, dispatch } = useStage();
  const isOff = !isEnabled(component, scope);
  const isWaiting = problems.size > 0;
  const captions = ['left-caption', 'center-caption', 'right-caption'].map((key) => resolveText(component[key], scope));
  const click = () => {
    if (isOff) return;
    if (!isWaiting) return dispatch({ kind: 'act', action: component['on-click-action'] });
    dispatch({ kind: 'touch', names: [...problems.keys()] });
    focusOn([...problems.keys()][0]!);
  };
  return (
    <div class="footer">
      {captions.some(Boolean) && (
        <p class="captions">
          {captions.map(
            (caption, i) =>
              caption !== '' && (
                <span key={i} dir="auto">
                  {caption}
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
        <span dir="auto">{textOf(resolveText(component.label, scope))}</span>
      </button>
      {isWaiting && (
        <span id="footer-reason" class="unseen">
          {problems.size === 1 ? 'One answer is missing or not right' : `${problems.size} answers are missing or not right`}
        </span>
      )}
    </div>
  );
}

/** The first thing to mend: the input itself, or the first one in its group. */
function focusOn(name: string): void {
  const id = `input-${name.replace(/\W/g, (char) => `-${char.codePointAt(0)}-`)}`;
  const element = document.getElementById(id);
  const target = element?.matches('input, textarea, button') ? element : element?.querySelector<HTMLElement>('input, button');
  target?.focus();
}
