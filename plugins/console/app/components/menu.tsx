import { connect, machine } from '@zag-js/menu';
import { normalizeProps, useMachine } from '@zag-js/preact';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface MenuItem {
  readonly id: string;
  readonly label: string;
  /** A second line, such as what the item does. */
  readonly note?: string;
  readonly isDisabled?: boolean;
  /** Marks the item as the current choice. */
  readonly isChecked?: boolean;
  readonly select: () => void;
}

interface MenuProps {
  /** The content of the button. */
  readonly children: ComponentChildren;
  /** The name of the button and its menu, if `children` are not text. */
  readonly label?: string;
  readonly look?: string;
  readonly items: readonly MenuItem[];
}

/** A button that opens a menu. */
export function Menu({ children, label, look = 'button plain', items }: MenuProps) {
  const service = useMachine(machine, {
    id: useId(),
    positioning: { placement: 'bottom-end', gutter: 4 },
    onSelect: ({ value }) => items.find(({ id }) => id === value)?.select(),
    ...(label !== undefined && { 'aria-label': label }),
  });
  const api = connect(service, normalizeProps);
  return (
    <>
      <button {...api.getTriggerProps()} class={look} aria-label={label}>
        {children}
      </button>
      <div {...api.getPositionerProps()} class="menu-place">
        {api.open && (
          <ul {...api.getContentProps()} class="menu">
            {items.map(({ id, label: text, note, isDisabled, isChecked }) => (
              <li
                key={id}
                {...api.getItemProps({ value: id, ...(isDisabled !== undefined && { disabled: isDisabled }) })}
                class="menu-item"
              >
                <span>
                  {text}
                  {isChecked && <span class="unseen">, current</span>}
                </span>
                {isChecked && <span aria-hidden="true">✓</span>}
                {note !== undefined && <small>{note}</small>}
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  );
}
