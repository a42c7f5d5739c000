import { useEffect, useMemo, useRef } from 'preact/hooks';
import { mayTakeFocus } from '../../../../core/web/focus.js';
import { Chevron, Cross } from '../../../../core/web/icons.js';
import { Completed, type Sending } from './completed.js';
import { ComponentView } from './components/component-view.js';
import { Footer } from './components/footer.js';
import { renderText } from './components/render-text.js';
import { AnswerSheet } from './data-sheets.js';
import { type Screen, shownText } from './definition.js';
import { directionOf, textsOf } from './direction.js';
import { displayText, resolve } from './evaluate.js';
import { isVisible, problemsOf, shownComponents } from './inputs.js';
import type { Inspection } from './inspection.js';
import { UrlDialog } from './overlays.js';
import { currentEndpointErrors, type Event, type Session, scopeOf, screenOf, valuesOf } from './session.js';
import { focusInput, StageContext } from './stage.js';
import { texts } from './texts.js';

interface PhoneProps {
  readonly session: Session;
  readonly dispatch: (event: Event) => void;
  readonly interactive: boolean;
  /** Undefined in a preview, which sends no response. */
  readonly sending: Sending | undefined;
  readonly notice: string | undefined;
  /** Present when an editor frames the preview. */
  readonly inspection?: Inspection | undefined;
}

/** The sheet with the current screen, or the response of a completed flow. */
export function Phone({ session, dispatch, interactive, sending, notice, inspection }: PhoneProps) {
  const screen = screenOf(session);
  if (session.completion) return <Completed completion={session.completion} dispatch={dispatch} sending={sending} />;
  if (!screen) return <p class="panel">{texts.theFlowHasNoScreen}</p>;
  return (
    <div class="chat">
      <div class="sheet">
        {notice && (
          <p class="notice" role="status">
            {notice}
          </p>
        )}
        <ScreenView
          key={screen.id}
          session={session}
          screen={screen}
          dispatch={dispatch}
          interactive={interactive}
          isOpened={sending !== undefined}
          inspection={inspection}
        />
      </div>
    </div>
  );
}

interface ScreenProps extends Pick<PhoneProps, 'session' | 'dispatch' | 'interactive' | 'inspection'> {
  readonly screen: Screen;
  /** Whether the contact fills it in, who loses no answers by a tap. */
  readonly isOpened: boolean;
}

function ScreenView({ session, screen, dispatch, interactive, isOpened, inspection }: ScreenProps) {
  const scope = scopeOf(session, screen.id);
  const form = valuesOf(session, screen.id);
  const problems = problemsOf(screen, scope, form);
  const endpointErrors = currentEndpointErrors(session);
  const shown = shownComponents(screen.children, scope).filter((component) => isVisible(component, scope));
  const footer = shown.find(({ type }) => type === 'Footer');
  const firstHeading = shown.find(({ type }) => type === 'TextHeading' || type === 'TextSubheading');
  const subheading = firstHeading?.type === 'TextHeading' ? ('h3' as const) : ('h2' as const);
  const stage = { scope, form, problems, endpointErrors, touched: session.touched, dispatch, subheading, inspection };
  const title = useRef<HTMLHeadingElement>(null);
  const isFirst = session.stack.length <= 1;
  const last = session.log.at(-1);
  // Not on load.
  useEffect(() => {
    if (session.log.length > 0 && mayTakeFocus()) title.current?.focus();
  }, []);
  useEffect(() => {
    const [refused] = endpointErrors.keys();
    if (last?.action === 'answer' && refused !== undefined) focusInput(refused);
  }, [last]);
  const direction = useMemo(
    () => directionOf([resolve(screen.title, scope), ...shown.flatMap((component) => textsOf(resolve(component, scope)))]),
    [screen.id],
  );
  const heading = displayText(screen.title, scope);
  return (
    <StageContext.Provider value={stage}>
      <section class="screen" aria-labelledby="screen-title" dir={direction ?? 'ltr'}>
        <header class="top-bar">
          {isFirst && isOpened ? (
            <span class="round" aria-hidden="true" />
          ) : isFirst ? (
            <button type="button" class="round" aria-label={texts.closeAndStartAgain} onClick={() => dispatch({ kind: 'restart' })}>
              <Cross />
            </button>
          ) : (
            <button type="button" class="round" aria-label={texts.back} onClick={() => dispatch({ kind: 'back' })}>
              <Chevron back />
            </button>
          )}
          <h1 id="screen-title" ref={title} tabIndex={-1} dir="auto">
            {renderText(shownText(heading) === '' ? screen.id : heading)}
          </h1>
          <span class="round" aria-hidden="true" />
        </header>
        <div class="content" inert={!interactive}>
          {shown
            .filter((component) => component !== footer)
            .map((component, i) => (
              <ComponentView key={`${component.type} ${shownText(component.name) || i}`} component={component} />
            ))}
        </div>
        {session.errorMessage !== '' && (
          <p class="snack" role="alert" dir="auto">
            {session.errorMessage}
          </p>
        )}
        <div class="bottom" inert={!interactive}>
          {footer && <Footer component={footer} />}
          <p class="managed">{texts.managedByTheBusiness}</p>
        </div>
        {session.overlay?.kind === 'url' && <UrlDialog url={session.overlay.url} dispatch={dispatch} />}
        {session.overlay?.kind === 'exchange' && <AnswerSheet session={session} overlay={session.overlay} dispatch={dispatch} />}
      </section>
    </StageContext.Provider>
  );
}
