import type { ComponentChildren } from 'preact';

/** A drawing of 24 by 24 in the colour of the text around it; `turns` mirrors it in right-to-left text. */
export const Icon = ({ turns = false, width = 2, children }: { turns?: boolean; width?: number; children: ComponentChildren }) => (
  <svg
    class={turns ? 'icon turns' : 'icon'}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width={width}
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {children}
  </svg>
);

/** Points forward, or back; mirrored in right-to-left text. */
export const Chevron = ({ back = false }: { back?: boolean }) => (
  <Icon turns>
    <path d={back ? 'M15 5l-7 7 7 7' : 'M9 5l7 7-7 7'} />
  </Icon>
);
export const Cross = () => (
  <Icon>
    <path d="M6 6l12 12M18 6L6 18" />
  </Icon>
);
export const Down = () => (
  <Icon>
    <path d="M6 9l6 6 6-6" />
  </Icon>
);
