import type { Json, JsonObject } from '../../json.js';
import type { Block } from '../compile.js';
import { messageTurns } from '../message-turns.js';
import type { Outcome, Report, Run } from './block-type.js';
import { checkFrame, textOf, uuidsIn } from './config.js';

/** Asks a question that is answered in the contact's own words. */
export function ask(run: Run): Outcome {
  const { prompt, header, footer } = run.config;
  run.send(messageTurns(run.resource(prompt), textOf(run.resource(header)), textOf(run.resource(footer))), { waiting: true });
  return { kind: 'wait' };
}

/** What a block makes of an answer before it is checked; a rule that fails changes nothing. */
export function normalised(run: Run, response: Json, value: Json): Json {
  const { normalise } = run.config;
  if (typeof normalise !== 'string' || normalise === '') return value;
  return run.value(normalise, { block: { response, value } }) ?? value;
}

/** Goes on with a value, unless the author's own rule says that it is none. */
export function accepted(run: Run, response: Json, found: Json): Outcome {
  const value = normalised(run, response, found);
  const { validate } = run.config;
  if (typeof validate === 'string' && validate !== '' && !run.holds(validate, { block: { response, value } })) {
    return { kind: 'invalid', reason: 'not_valid' };
  }
  return { kind: 'continue', value };
}

export const questionResources = ({ prompt, header, footer }: JsonObject): readonly string[] => uuidsIn(prompt, header, footer);

export function checkQuestion(block: Block, report: Report): void {
  const { config } = block;
  report.resource('config.prompt', config.prompt);
  checkFrame(block, report);
  if (config.validate) report.expression('config.validate', config.validate);
  if (config.normalise) report.expression('config.normalise', config.normalise);
}
