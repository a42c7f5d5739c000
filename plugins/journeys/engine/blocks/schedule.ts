import type { Json, JsonObject } from '#core/basics';
import { asText } from '../compile.js';
import type { BlockType, Run } from './block-type.js';
import { textOrResource } from './config.js';
import { dateTimeOf, secondsOf } from './date-times.js';
import type { Settings } from './settings.js';

/** A year. Later times are cut to this. */
const MAX_DELAY_MS = 366 * 24 * 60 * 60 * 1000;

interface Plan {
  readonly journey: (run: Run) => string;
  readonly in: Json | undefined;
  readonly at: Json | undefined;
  readonly cancel: boolean;
}

function scheduling(key: 'journey' | 'flow_id', settings: Settings, planOf: (config: JsonObject) => Plan): BlockType {
  return {
    settings,

    enter(run) {
      const plan = planOf(run.config);
      const journey = plan.journey(run);
      if (journey === '') return { kind: 'fail', code: 'unknown_journey', reason: `${key} is empty; set it to the uuid of a journey` };
      if (plan.cancel) {
        run.emit({ type: 'schedule_cancelled', journey });
        return { kind: 'continue' };
      }
      const now = Date.parse(run.now);
      const seconds = plan.in === undefined ? undefined : secondsOf(run, plan.in);
      const moment = plan.in === undefined ? dateTimeOf(run, plan.at) : seconds === undefined ? undefined : now + seconds * 1000;
      if (moment === undefined)
        return { kind: 'fail', code: 'no_moment', reason: 'the start time is missing or not a date or number of seconds' };
      run.emit({ type: 'scheduled', journey, moment: new Date(Math.min(Math.max(moment, now), now + MAX_DELAY_MS)).toISOString() });
      return { kind: 'continue' };
    },

    check({ config }, report) {
      const plan = planOf(config);
      for (const source of [plan.in, plan.at]) if (typeof source === 'string') report.expression('config', source);
      const source = config[key];
      if (asText(source ?? null) === '') report.error(`config.${key}`, `${key} must be the uuid of a journey`);
      else if (typeof source === 'string' && !report.flow.resources.has(source)) report.template(`config.${key}`, source);
    },
  };
}

/** Schedules the start of a journey for the contact, or cancels all scheduled starts of the journey. */
export const schedule = scheduling('journey', { journey: 'any', in: 'any', at: 'any', cancel: 'any' }, (config) => ({
  journey: (run) => (typeof config.journey === 'string' ? run.text(config.journey) : ''),
  in: config.in ?? undefined,
  at: config.at ?? undefined,
  cancel: config.cancel === true,
}));

/** `Svc.Schedule` in the format of notebooks: without a time it cancels. */
export const scheduleFlow = scheduling('flow_id', { flow_id: 'any', schedule_in: 'any', schedule_at: 'any' }, (config) => {
  const [after, at] = [config.schedule_in ?? undefined, config.schedule_at ?? undefined];
  return {
    journey: (run) => textOrResource(run, config.flow_id) || asText(config.flow_id),
    in: after,
    at,
    cancel: after === undefined && at === undefined,
  };
});
