import { normalizeProps, useMachine } from '@zag-js/preact';
import { connect, machine } from '@zag-js/tooltip';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** A button with a text that appears when it has the pointer or the focus. */
export function TooltipButton({
  text,
  look = 'button plain',
  onClick,
  children,
}: {
  text: string;
  look?: string;
  onClick: () => void;
  children: ComponentChildren;
}) {
  const service = useMachine(machine, { id: useId(), openDelay: 300, closeDelay: 100 });
  const api = connect(service, normalizeProps);
  return (
    <>
      <button type="button" {...api.getTriggerProps()} class={look} onClick={onClick}>
        {children}
      </button>
      {api.open && (
        <div {...api.getPositionerProps()}>
          <div {...api.getContentProps()} class="tooltip">
            {text}
          </div>
        </div>
      )}
    </>
  );
}
