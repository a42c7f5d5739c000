import type { Json, JsonObject } from '#core/basics';
import { objectAt } from '../compile.js';
import type { BlockType, Run } from './block-type.js';
import { failedEffect } from './failed-effect.js';

/** Runs another flow of the container, or another journey, and continues when it ends. */
export const runFlow: BlockType = {
  settings: { flow_id: 'any', args: 'any' },

  enter(run) {
    const { flow_id } = run.config;
    if (typeof flow_id !== 'string')
      return { kind: 'fail', code: 'unknown_flow', reason: 'flow_id is missing; set it to the uuid of a flow or journey' };
    if (!run.hasFlow(flow_id)) return { kind: 'effect', effect: { kind: 'journey', journey: flow_id } };
    return { kind: 'call', target: { flow: flow_id }, ...argsOf(run) };
  },

  performed(run, result) {
    if (result.kind !== 'journey') return failedEffect(result);
    return { kind: 'call', target: { journey: result.journey, revision: result.revision }, ...argsOf(run) };
  },

  check({ config }, report) {
    if (typeof config.flow_id !== 'string' || config.flow_id === '')
      report.error('config.flow_id', 'flow_id must be the uuid of a flow or journey');
    for (const [name, source] of Object.entries(objectAt(config, 'args'))) report.expression(`config.args.${name}`, source);
  },
};

/** The arguments of the call, which the called flow reads in `parent` together with the caller's variables; and which are answers. */
function argsOf(run: Run): {
  readonly args: JsonObject;
  readonly answers: readonly string[];
  readonly marked: readonly (readonly [string, Json])[];
} {
  const answers: string[] = [];
  const marked: (readonly [string, Json])[] = [];
  const args = Object.entries(objectAt(run.config, 'args')).map(([name, source]) => {
    if (typeof source !== 'string') return [name, source] as const;
    const value = run.value(source);
    if (run.isAnswer(value)) answers.push(name);
    const marks = run.marksOf(value);
    if (marks !== undefined) marked.push([name, marks]);
    return [name, value] as const;
  });
  return { args: Object.fromEntries(args), answers, marked };
}
