import { Icon } from '../../../../core/web/icons.js';

const drawings = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 8h6V4h-6z',
  inbox: 'M4 5h16v11H9l-5 4z',
  contacts: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 20c0-4 3.5-5.5 8-5.5s8 1.5 8 5.5',
  numbers: 'M9 4L7 20M17 4l-2 16M4 9h16M4 15h16',
  channels: 'M9 3v6M15 3v6M6 9h12v4a6 6 0 0 1-12 0zM12 19v3',
  deliveries: 'M4 12h13M12 6l6 6-6 6',
  journeys: 'M9 3h6v5H9zM3 16h6v5H3zM15 16h6v5h-6zM12 8v4M6 16v-4h12v4',
  integrations: 'M4 5h16v14H4zM14 5v14M17 9h.01M17 13h.01',
  settings: 'M4 7h9M17 7h3M15 5v4M4 12h3M11 12h9M9 10v4M4 17h9M17 17h3M15 15v4',
  calls: 'M4 7h13M13 3l4 4-4 4M20 17H7M11 13l-4 4 4 4',
  events: 'M5 6h2M10 6h9M5 12h2M10 12h9M5 18h2M10 18h9',
  flows: 'M6 3h12v18H6zM9 8h6M9 12h6M9 17h3',
  advice: 'M12 3a6 6 0 0 0-3.5 10.9V17h7v-3.1A6 6 0 0 0 12 3zM9.5 20h5',
  audit: 'M6 3h9l3 3v15H6zM9 10h6M9 14h6M9 18h3',
  why: 'M9 9a3 3 0 1 1 4.2 2.8c-.8.4-1.2 1-1.2 2.2M12 18v.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  signature: 'M4 18c3 0 4-12 7-12 2 0 1 7 3 7s2-3 3-3 1 3 3 3M4 21h16',
  plugin: 'M4 8h5a2.5 2.5 0 1 1 5 0h4v4a2.5 2.5 0 1 1 0 5v3H4z',
  search: 'M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM16 16l4 4',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2',
  help: 'M9 9a3 3 0 1 1 4.2 2.8c-.8.4-1.2 1-1.2 2.2M12 17.5v.01',
  plus: 'M12 5v14M5 12h14',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  back: 'M15 5l-7 7 7 7',
  play: 'M8 5l11 7-11 7z',
  pause: 'M9 5v14M15 5v14',
  reply: 'M10 6l-6 6 6 6M4 12h9a7 7 0 0 1 7 7',
  phone: 'M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2',
  refresh: 'M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6',
  send: 'M4 12l16-8-6 17-3-7z',
  code: 'M9 7l-5 5 5 5M15 7l5 5-5 5',
  attach: 'M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.3 3.3 0 0 1 4.7 4.7L9.5 17a1.7 1.7 0 0 1-2.4-2.4L14.5 7',
} as const;

export type Drawing = keyof typeof drawings;

export const Draw = ({ name, turns = false }: { name: Drawing; turns?: boolean }) => (
  <Icon width={1.8} turns={turns}>
    <path d={drawings[name]} />
  </Icon>
);
