import type { ComponentChildren } from 'preact';
import { shownText } from '../definition.js';
import { texts } from '../texts.js';
import { renderText } from './render-text.js';

/** The help and the problem below an input. Both have ids, for `aria-describedby` of the input. */
export function FieldNotes({
  id,
  help,
  problem,
  counter,
}: {
  id: string;
  help?: unknown;
  problem: string | undefined;
  counter?: string | undefined;
}) {
  return (
    <div class="below">
      <div>
        {shownText(help) !== '' && (
          <p id={`${id}-help`}>
            <bdi>{renderText(help)}</bdi>
          </p>
        )}
        {problem && (
          <p id={`${id}-problem`} class="wrong">
            <bdi>{problem}</bdi>
          </p>
        )}
      </div>
      {counter && <p class="counter">{counter}</p>}
    </div>
  );
}

export function describedBy(id: string, help: unknown, problem: string | undefined): string | undefined {
  return [shownText(help) !== '' && `${id}-help`, problem && `${id}-problem`].filter(Boolean).join(' ') || undefined;
}

/** Marks the label of an input that may be left empty. */
export const Optional = ({ required }: { required: unknown }) =>
  required === true ? null : <span class="optional"> {texts.optional}</span>;

export function Group(props: {
  readonly id: string;
  readonly legend: unknown;
  readonly description?: unknown;
  readonly required: unknown;
  readonly enabled: boolean;
  readonly problem: string | undefined;
  readonly leave: () => void;
  readonly kind?: 'radiogroup' | undefined;
  readonly children: ComponentChildren;
}) {
  const { id, legend, description, required, enabled, problem, leave, kind, children } = props;
  return (
    <fieldset
      class="group"
      id={id}
      disabled={!enabled}
      role={kind}
      aria-describedby={describedBy(id, description, problem)}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) leave();
      }}
    >
      <legend dir="auto">
        {renderText(legend)}
        <Optional required={required} />
      </legend>
      <FieldNotes id={id} help={description} problem={undefined} />
      {children}
      {problem && (
        <p id={`${id}-problem`} class="wrong">
          <bdi>{problem}</bdi>
        </p>
      )}
    </fieldset>
  );
}
