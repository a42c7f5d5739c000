import type { Json } from '#core/basics';
import { asText } from '../compile.js';
import type { BlockType, Outcome, Run } from './block-type.js';
import { isGiven } from './config.js';
import { dateTimeOf, secondsOf } from './date-times.js';

/** A year. Longer waits are cut to this. */
const MAX_SECONDS = 366 * 24 * 60 * 60;

/**
 * Waits for a number of seconds or until a date and time, then leaves by the exit `elapsed`. If the contact writes earlier, the block leaves
 * by the exit `interrupted`; if that exit is missing, the block continues to wait.
 */
export const wait: BlockType = {
  settings: { seconds: 'any', until: 'any' },

  enter(run) {
    const until = dueAt(run);
    if (until === undefined)
      return {
        kind: 'fail',
        code: 'no_moment',
        reason: 'seconds or until is missing or has no usable value: set a number of seconds, or a date',
      };
    run.setMemory(new Date(until).toISOString());
    return until <= Date.parse(run.now) ? leave(run, 'elapsed') : waiting(run);
  },

  answer: (run) => (run.block.exits.some(({ name }) => name === 'interrupted') ? leave(run, 'interrupted') : waiting(run)),
  elapsed: (run) => (remainingSeconds(run) > 0 ? waiting(run) : leave(run, 'elapsed')),

  picks: () => ['elapsed', 'interrupted'],

  check({ config, exits }, report) {
    if (!exits.some(({ name }) => name === 'interrupted')) {
      report.warning('exits', 'messages during the wait are ignored; add an exit named interrupted to handle them');
    }
    for (const key of ['seconds', 'until']) if (typeof config[key] === 'string') report.expression(`config.${key}`, config[key]);
    if (isGiven(config.seconds) === isGiven(config.until)) report.error('config', 'set either seconds or until, not both');
  },
};

function dueAt(run: Run): number | undefined {
  const { seconds, until } = run.config;
  const now = Date.parse(run.now);
  const due = isGiven(seconds) ? afterSeconds(now, secondsOf(run, seconds)) : dateTimeOf(run, until);
  return due === undefined ? undefined : Math.min(due, now + MAX_SECONDS * 1000);
}

const afterSeconds = (now: number, seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : now + seconds * 1000;

const remainingSeconds = (run: Run): number => Math.ceil((Date.parse(asText(run.memory as Json)) - Date.parse(run.now)) / 1000) || 0;

const waiting = (run: Run): Outcome => ({ kind: 'wait', timeoutIn: Math.max(remainingSeconds(run), 0) });

function leave(run: Run, value: string): Outcome {
  const exit = run.block.exits.find(({ name }) => name === value);
  return { kind: 'continue', value, ...(exit && { exit: exit.uuid }) };
}
