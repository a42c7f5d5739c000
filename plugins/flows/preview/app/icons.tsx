import type { ComponentChildren } from 'preact';

const Icon = ({ turns = false, width = 2, children }: { turns?: boolean; width?: number; children: ComponentChildren }) => (
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
export const Month = () => (
  <Icon width={1.6}>
    <path d="M4 6h16v14H4zM4 10h16M8 3v4M16 3v4" />
  </Icon>
);
export const Again = () => (
  <Icon>
    <path d="M4.5 12a7.5 7.5 0 1 0 2.3-5.4L4 9.3M4 4.5v4.8h4.8" />
  </Icon>
);
export const Braces = () => (
  <Icon>
    <path d="M9 4c-2.5 0-3 1-3 3v2c0 2-.8 3-2.5 3 1.7 0 2.5 1 2.5 3v2c0 2 .5 3 3 3M15 4c2.5 0 3 1 3 3v2c0 2 .8 3 2.5 3-1.7 0-2.5 1-2.5 3v2c0 2-.5 3-3 3" />
  </Icon>
);
