import type { Json, JsonObject } from '#core/basics';
import type { Block } from '../compile.js';
import { messageTurns } from '../message-turns.js';
import type { Outcome, Report, Run } from './block-type.js';
import { checkFrame, renderedText, uuidsIn } from './config.js';

/** Sends a question with a free-text answer, and waits. */
export function askQuestion(run: Run): Outcome {
  const { prompt, header, footer } = run.config;
  run.send(messageTurns(run.resource(prompt), renderedText(run.resource(header)), renderedText(run.resource(footer))), { waiting: true });
  return { kind: 'wait' };
}

/** Applies the author's `normalise` expression to a value. Returns the value unchanged when the expression has no value. */
export function normalised(run: Run, response: Json, value: Json): Json {
  const { normalise } = run.config;
  if (typeof normalise !== 'string' || normalise === '') return value;
  return run.value(normalise, { block: { response, value } }) ?? value;
}

/** Normalises a value, then continues with it, or rejects it when the author's `validate` expression is not true. */
export function acceptOrReject(run: Run, response: Json, found: Json): Outcome {
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
