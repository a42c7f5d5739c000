import type { Json } from '../../json.js';
import { asText } from '../plain-value.js';
import type { BlockType, Outcome, Run } from './block-type.js';
import { isGiven } from './config.js';
import { dateTimeOf, secondsOf } from './date-times.js';

/** A year: longer is no wait, but a mistake. */
const MAX_SECONDS = 366 * 24 * 60 * 60;

/**
 * Waits for a time, or until a moment. Then it leaves by its exit `elapsed`; when the contact writes meanwhile by its exit
 * `interrupted`, and goes on waiting when there is none.
 */
export const wait: BlockType = {
  settings: { seconds: 'any', until: 'any' },

  enter(run) {
    const until = dueAt(run);
    if (until === undefined) return { kind: 'fail', code: 'no_moment', reason: 'the block does not say how long to wait' };
    run.keep(new Date(until).toISOString());
    return until <= Date.parse(run.now) ? leave(run, 'elapsed') : waiting(run);
  },

  answer: (run) => (run.block.exits.some(({ name }) => name === 'interrupted') ? leave(run, 'interrupted') : waiting(run)),
  elapsed: (run) => (left(run) > 0 ? waiting(run) : leave(run, 'elapsed')),

  picks: () => ['elapsed', 'interrupted'],

  check({ config, exits }, report) {
    if (!exits.some(({ name }) => name === 'interrupted')) {
      report.warning('exits', 'nothing answers what the contact writes meanwhile; an exit called interrupted would');
    }
    for (const key of ['seconds', 'until']) if (typeof config[key] === 'string') report.expression(`config.${key}`, config[key]);
    if (isGiven(config.seconds) === isGiven(config.until)) report.error('config', 'it waits either seconds or until a moment');
  },
};

function dueAt(run: Run): number | undefined {
  const { seconds, until } = run.config;
  const now = Date.parse(run.now);
  const due = isGiven(seconds) ? added(now, secondsOf(run, seconds)) : dateTimeOf(run, until);
  return due === undefined ? undefined : Math.min(due, now + MAX_SECONDS * 1000);
}

const added = (now: number, seconds: number | undefined): number | undefined => (seconds === undefined ? undefined : now + seconds * 1000);

const left = (run: Run): number => Math.ceil((Date.parse(asText(run.memory as Json)) - Date.parse(run.now)) / 1000) || 0;

const waiting = (run: Run): Outcome => ({ kind: 'wait', timeoutIn: Math.max(left(run), 0) });

function leave(run: Run, value: string): Outcome {
  const exit = run.block.exits.find(({ name }) => name === value);
  return { kind: 'continue', value, ...(exit && { exit: exit.uuid }) };
}
