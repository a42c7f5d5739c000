import { effectText } from '../../core/events/event-summary.js';
import type { Row } from '../terminal/table.js';

/** A fault rule, as the admin API returns it. */
export interface FaultShown {
  readonly id: string;
  readonly where: string;
  readonly match?: Readonly<Record<string, string>>;
  readonly effect: Readonly<Record<string, string | number>>;
  readonly times?: number;
  readonly rate?: number;
  readonly seed?: number;
  readonly until?: string;
  readonly seen: number;
  readonly fired: number;
}

/** The row of a rule in a list. */
export function faultRow({ id, where, match = {}, effect, times, rate, seed, until, fired, seen }: FaultShown): Row {
  const isUsedUp = times !== undefined && fired >= times;
  const count = times === undefined ? `${fired} of ${seen}, rate ${rate}, seed ${seed}` : `${fired} of ${times}`;
  return [
    { text: id, isKey: true },
    where,
    { text: effectText(effect), style: isUsedUp ? 'dim' : 'yellow' },
    { text: `${count}${isUsedUp ? ', used up' : ''}`, style: 'dim' },
    [...Object.entries(match).map(([field, value]) => `${field}=${value}`), ...(until === undefined ? [] : [`until ${until}`])].join('  '),
  ];
}
