import { connect, machine } from '@zag-js/menu';
import { normalizeProps, useMachine } from '@zag-js/preact';
import { useEffect, useId } from 'preact/hooks';
import { languageOfPage } from '../../../../core/web/language.js';
import type { MenuProps } from './menu-props.js';
import { texts } from './texts.js';

/** A menu with its button. `isOpen`: the button was pressed before this script was loaded, so the menu opens immediately. */
export default function OpenedMenu({ children, label, look = 'button plain', items, isOpen }: MenuProps & { readonly isOpen: boolean }) {
  const service = useMachine(machine, {
    id: useId(),
    dir: languageOfPage.dir,
    positioning: { placement: 'bottom-end', gutter: 4 },
    onSelect: ({ value }) => items.find(({ id }) => id === value)?.select(),
    ...(label !== undefined && { 'aria-label': label }),
  });
  const api = connect(service, normalizeProps);
  useEffect(() => {
    if (isOpen) api.setOpen(true);
  }, []);
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
                  {isChecked && <span class="unseen">{texts.current}</span>}
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
