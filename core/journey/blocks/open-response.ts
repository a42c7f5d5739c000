import { objectAt } from '../compile.js';
import { messageTurns } from '../message-turns.js';
import type { Input, JsonObject } from '../session.js';
import type { BlockType, Outcome, Run } from './block-type.js';
import { numberOf, textOf, uuidsIn } from './config.js';

/** Asks for a text in the contact's own words. */
export const openResponse: BlockType = {
  enter(run) {
    const { prompt, header, footer } = run.config;
    run.send(messageTurns(run.resource(prompt), textOf(run.resource(header)), textOf(run.resource(footer))), { waiting: true });
    return { kind: 'wait' };
  },

  answer(run, { text, type }: Input): Outcome {
    if (text.trim() === '') return { kind: 'invalid', reason: type === 'text' ? 'empty' : 'not_a_text' };
    const most = longest(run.config);
    if (most !== undefined && text.length > most) return { kind: 'invalid', reason: 'too_long' };
    const value = normalised(run, text);
    const { validate } = run.config;
    if (typeof validate === 'string' && validate !== '' && !run.holds(validate, { block: { response: text, value } })) {
      return { kind: 'invalid', reason: 'not_valid' };
    }
    return { kind: 'continue', value };
  },

  resources: ({ prompt, header, footer }) => uuidsIn(prompt, header, footer),

  check({ config }, report) {
    report.resource('config.prompt', config.prompt);
    if (config.header) report.resource('config.header', config.header);
    if (config.footer) report.resource('config.footer', config.footer);
    if (config.validate) report.expression('config.validate', config.validate);
    if (config.normalise) report.expression('config.normalise', config.normalise);
  },
};

/** Release candidates 1 to 3 keep the limit of each kind of answer apart. */
const longest = (config: JsonObject): number | undefined =>
  numberOf(config.max_response_characters) ?? numberOf(objectAt(config, 'text').max_response_characters);

/** What the block makes of the text before it is checked; a rule that fails changes nothing. */
function normalised(run: Run, response: string) {
  const { normalise } = run.config;
  if (typeof normalise !== 'string' || normalise === '') return response;
  return run.value(normalise, { block: { response, value: response } }) ?? response;
}
