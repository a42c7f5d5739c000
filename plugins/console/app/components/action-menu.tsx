import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { refusalOf } from '../data/operator.js';
import { type Confirmed, ConfirmSheet } from './confirm.js';
import type { Action } from './copy.js';
import { lazyPart } from './lazy-part.js';
import { Menu, type MenuItem } from './menu.js';
import { texts } from './texts.js';

const CopySheet = lazyPart(() => import('./copy-sheet.js'));

export interface ActionItem extends Omit<MenuItem, 'select'> {
  readonly action: Action;
  /** Said to screen readers after success. */
  readonly announcement?: string;
  /** Asks before the call. */
  readonly confirm?: Confirmed;
}

interface ActionMenuProps {
  readonly items: readonly ActionItem[];
  readonly run: (item: ActionItem) => void;
  /** The title of the dialog with the calls of all items. */
  readonly copyTitle: string;
  readonly label?: string;
  readonly look?: string;
  readonly children: ComponentChildren;
}

/** A menu of calls. Its last item opens a dialog that copies each of them as curl, TypeScript or a command. */
export function ActionMenu({ items, run, copyTitle, children, ...menu }: ActionMenuProps) {
  const isCopying = useSignal(false);
  const asked = useSignal<ActionItem | undefined>(undefined);
  return (
    <>
      <Menu
        {...menu}
        items={[
          ...items.map((item) => {
            const refusal = refusalOf(item.action);
            return {
              ...item,
              ...(refusal !== undefined && { isDisabled: true, note: refusal }),
              select: () => {
                if (item.confirm) asked.value = item;
                else run(item);
              },
            };
          }),
          {
            id: 'copy as',
            label: texts.copyAs,
            note: texts.curlTypescriptCommandLine,
            select: () => {
              isCopying.value = true;
            },
          },
        ]}
      >
        {children}
      </Menu>
      {asked.value?.confirm && (
        <ConfirmSheet
          {...asked.value.confirm}
          go={() => {
            run(asked.value!);
            asked.value = undefined;
          }}
          close={() => {
            asked.value = undefined;
          }}
        />
      )}
      {isCopying.value && (
        <CopySheet
          title={copyTitle}
          actions={items}
          close={() => {
            isCopying.value = false;
          }}
        />
      )}
    </>
  );
}
