import { useEffect, useRef } from 'preact/hooks';
import { Cross } from '../../../../core/web/icons.js';
import type { PageContent } from '../page-content.js';
import type { LogEntry } from './session.js';
import { texts } from './texts.js';

interface PanelProps {
  /** Undefined if the page has nothing else to show. */
  readonly close: (() => void) | undefined;
  /** Whether the panel is beside the phone; otherwise it replaces the phone. */
  readonly isBeside: boolean;
}

/** The validation errors and hints, each with its position and line. */
export function ProblemPanel({ content, close, isBeside }: PanelProps & { readonly content: PageContent }) {
  const { errors, hints, definition } = content;
  const lines = definition.split('\n');
  const title = useFocus<HTMLHeadingElement>();
  return (
    <section class="panel" aria-labelledby="problems">
      <header class="panel-head">
        <h1 id="problems" ref={title} tabIndex={-1}>
          {errors.length > 0 ? texts.errorsInTheFlow(errors.length) : texts.hintCount(hints.length)}
        </h1>
        {isBeside && <CloseButton close={close} />}
      </header>
      {errors.length > 0 && <p class="quiet">{texts.fixTheErrorsToPublish}</p>}
      <ol class="problems">
        {[...errors.map((one) => ({ ...one, isError: true })), ...hints.map((one) => ({ ...one, isError: false }))].map((problem) => {
          const { error, message, line_start, column_start, pointers, isError } = problem;
          return (
            <li key={`${error} ${line_start} ${column_start} ${pointers[0]?.path}`} class={isError ? 'is-error' : 'is-hint'}>
              <p class="code">
                {isError ? texts.error : texts.hint} <code>{error}</code>
              </p>
              <p dir="auto">{message}</p>
              <p class="quiet">
                {texts.lineColumn(line_start, column_start)}
                {pointers[0]?.path && (
                  <>
                    {' · '}
                    <code>{pointers[0].path}</code>
                  </>
                )}
              </p>
              {lines[line_start - 1]?.trim() && (
                // biome-ignore lint/a11y/noNoninteractiveTabindex: focusable for scrolling by keyboard
                <pre tabIndex={0} role="region" aria-label={texts.line(line_start)}>
                  {excerpt(lines[line_start - 1]!, column_start)}
                </pre>
              )}
            </li>
          );
        })}
      </ol>
      {close && !isBeside && (
        <button type="button" class="button" onClick={close}>
          {texts.previewAnyway}
        </button>
      )}
    </section>
  );
}

const EXCERPT = 160;

function excerpt(line: string, column: number): string {
  const from = column > 24 ? column - 12 : 0;
  return `${from > 0 ? '…' : ''}${line.slice(from, from + EXCERPT).trim()}${from + EXCERPT < line.length ? '…' : ''}`;
}

export function DebugPanel({ log, close, isBeside }: PanelProps & { readonly log: readonly LogEntry[] }) {
  const title = useFocus<HTMLHeadingElement>();
  return (
    <section class="panel" aria-labelledby="log">
      <header class="panel-head">
        <h1 id="log" ref={title} tabIndex={-1}>
          {texts.actions}
        </h1>
        {isBeside && <CloseButton close={close} />}
      </header>
      {log.length === 0 && <p class="quiet">{texts.noneYet}</p>}
      <ol class="log">
        {log.map((entry, i) => (
          <li key={i}>
            <p class="code">
              <code>{entry.action}</code> {texts.on} <code>{entry.screen}</code>
            </p>
            <Json value={entry.detail} label={texts.payloadOf(entry.action)} />
          </li>
        ))}
      </ol>
      {!isBeside && (
        <button type="button" class="button" onClick={close}>
          {texts.backToTheFlow}
        </button>
      )}
    </section>
  );
}

const CloseButton = ({ close }: Pick<PanelProps, 'close'>) => (
  <button type="button" class="round" aria-label={texts.close} onClick={close}>
    <Cross />
  </button>
);

export const Json = ({ value, label, id }: { value: unknown; label: string; id?: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: focusable for scrolling by keyboard
  <pre class="json" tabIndex={0} role="region" aria-label={label} id={id}>
    {JSON.stringify(value, null, 2)}
  </pre>
);

/** Focuses the element when it is shown, so that screen readers read it. */
export function useFocus<E extends HTMLElement>() {
  const ref = useRef<E>(null);
  useEffect(() => ref.current?.focus(), []);
  return ref;
}
