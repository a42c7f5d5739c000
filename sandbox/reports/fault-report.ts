import { effectText } from '../../core/events/event-summary.js';
import { escapeControls } from '../terminal/escape.js';
import type { Paint } from '../terminal/painter.js';

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

export function faultLine({ id, where, match = {}, effect, times, rate, seed, until, fired, seen }: FaultShown, paint: Paint): string {
  const isUsedUp = times !== undefined && fired >= times;
  const count = times === undefined ? `${fired} of ${seen}, rate ${rate}, seed ${seed}` : `${fired} of ${times}`;
  return [
    id,
    where.padEnd(12),
    paint(isUsedUp ? 'dim' : 'yellow', effectText(effect)),
    ...Object.entries(match).map(([field, value]) => escapeControls(`${field}=${value}`)),
    paint('dim', `${count}${isUsedUp ? ', used up' : ''}`),
    ...(until === undefined ? [] : [paint('dim', `until ${until}`)]),
  ].join('  ');
}
