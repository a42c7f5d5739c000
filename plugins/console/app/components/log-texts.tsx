import type { ComponentChildren } from 'preact';
import { catalogue, plural } from '../../../../core/web/language.js';

const UNITS = { s: 'second', min: 'minute', h: 'hour' } as const;

export const texts = catalogue({
  widthOfColumn: (title: string) => `Width of ${title}`,
  moreFilters: 'More filters',
  from: 'From',
  until: 'Until',
  groupEqualRows: 'Group equal rows',
  anyTime: 'Any time',
  histogram: (count: number, most: number, round: number) => `${count} over time, at most ${most} in ${round} s`,
  dragToChooseTime: 'Drag to choose a time',
  groupClosed: 'Group closed',
  rowsBelow: (count: number) => `${count} rows below`,
  lookedBackTo: (time: ComponentChildren) => <>Looked back to {time}</>,
  rowsAreMarked: (count: number) => plural(count, '1 row is marked', `${count} rows are marked`),
  counted: (count: string, isNewest: boolean, hasOlder: boolean) => `${isNewest ? 'newest ' : ''}${count} ${hasOlder ? 'loaded' : 'shown'}`,
  alike: (count: string, rate: readonly [count: number, unit: 's' | 'min' | 'h'] | undefined) =>
    `${count} alike${rate ? `, ${rate[0]} per ${UNITS[rate[1]]}` : ''}`,
  openGroup: ', open group',
  closedGroup: ', closed group',
  loading: 'Loading…',
});
