import type { ComponentChildren } from 'preact';

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

export interface MenuProps {
  /** The content of the button. */
  readonly children: ComponentChildren;
  /** The name of the button and its menu, if `children` are not text. */
  readonly label?: string;
  readonly look?: string;
  readonly items: readonly MenuItem[];
}
