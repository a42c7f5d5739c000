import { Cross, Down, Icon } from '../../../core/web/icons.js';

export { Cross, Down };

const icon =
  (path: string, turns = false) =>
  () => (
    <Icon turns={turns}>
      <path d={path} />
    </Icon>
  );

export const Back = icon('M20 12H6M12 5l-7 7 7 7', true);
export const Send = icon('M4 12h14M12 5l7 7-7 7', true);
export const Clip = icon('M19 11l-7.5 7.5a4.5 4.5 0 0 1-6.4-6.4L13 4.3a3 3 0 0 1 4.3 4.3l-7.7 7.7a1.5 1.5 0 0 1-2.2-2.2L14 7.5');
export const Page = icon('M6 3h8l5 5v13H6zM14 3v5h5');
export const Check = icon('M5 12l5 5 9-10');
