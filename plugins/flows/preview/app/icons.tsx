import { Icon } from '../../../../core/web/icons.js';

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
