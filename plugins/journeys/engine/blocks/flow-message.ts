import { type Input, type Json, type JsonObject, readJson, type Turn } from '#core/basics';
import { asText, isObject, objectAt, textAt } from '../compile.js';
import { headerOf } from '../message-turns.js';
import type { BlockType, Run } from './block-type.js';
import { checkFrame, renderedText, uuidsIn } from './config.js';
import { FRAME } from './settings.js';

const ACTIONS: readonly Json[] = ['navigate', 'data_exchange'];
const MODES: readonly Json[] = ['published', 'draft'];

/** Sends a form and waits until the contact completes it. The value is `completed`, and its `payload` is the answers. */
export const flowMessage: BlockType = {
  settings: {
    ...FRAME,
    body: 'any',
    prompt: 'any',
    flow: {
      flow_id: 'any',
      cta: 'any',
      action: 'any',
      screen: 'any',
      data: 'any',
      message_version: 'any',
      mode: 'any',
      token: 'any',
    },
  },

  enter(run) {
    const flow = objectAt(run.config, 'flow');
    if (run.text(textAt(flow, 'flow_id')) === '' || run.text(textAt(flow, 'cta')) === '') {
      return {
        kind: 'fail',
        code: 'incomplete_form',
        reason: 'flow.flow_id and flow.cta must not be empty: the form to show, and the label of its button',
      };
    }
    run.send([turnOf(run)], { waiting: true, options: [] });
    return { kind: 'wait' };
  },

  answer(_run, input) {
    const payload = formAnswers(input);
    return payload ? { kind: 'continue', value: { __value__: 'completed', payload } } : { kind: 'invalid', reason: 'not_a_form' };
  },

  resources: ({ header, body, prompt, footer }) => uuidsIn(header, body ?? prompt, footer),

  check(block, report) {
    const { config } = block;
    const flow = objectAt(config, 'flow');
    report.resource('config.body', config.body ?? config.prompt);
    checkFrame(block, report);
    for (const key of ['flow_id', 'cta']) {
      if (textAt(flow, key) === '') report.error(`config.flow.${key}`, 'this setting is required');
      else report.template(`config.flow.${key}`, flow[key]);
    }
    const { action = 'navigate', mode = 'published' } = flow;
    if (!ACTIONS.includes(action)) report.error('config.flow.action', `the action must be one of ${ACTIONS.join(', ')}`);
    if (!MODES.includes(mode)) report.error('config.flow.mode', `the mode must be one of ${MODES.join(', ')}`);
    if (action === 'navigate' && textAt(flow, 'screen') === '')
      report.error('config.flow.screen', 'the action navigate needs the name of a screen');
    for (const [name, value] of Object.entries(objectAt(flow, 'data'))) report.template(`config.flow.data.${name}`, value);
  },
};

function turnOf(run: Run): Turn {
  const { config } = run;
  const flow = objectAt(config, 'flow');
  const written = (key: string): string => run.text(textAt(flow, key));
  const header = headerOf(renderedText(run.resource(config.header)), undefined);
  const footer = renderedText(run.resource(config.footer));
  const data = Object.entries(objectAt(flow, 'data')).map(([name, value]) => [name, run.resolve(value)] as const);
  const screen = written('screen');
  const payload = { screen, ...(data.length > 0 && { data: Object.fromEntries(data) }) };
  return {
    type: 'interactive',
    interactive: {
      type: 'flow',
      ...(header && { header }),
      body: { text: renderedText(run.resource(config.body ?? config.prompt)) },
      ...(footer !== '' && { footer: { text: footer } }),
      action: {
        name: 'flow',
        parameters: {
          flow_action: textAt(flow, 'action') || 'navigate',
          ...(screen !== '' && { flow_action_payload: payload }),
          flow_cta: written('cta'),
          flow_id: written('flow_id'),
          flow_message_version: asText(flow.message_version) || '3',
          flow_token: written('token') || tokenOf(run),
          mode: textAt(flow, 'mode') || 'published',
        },
      },
    },
  };
}

/**
 * The token that the form's response contains: it identifies the run and the question. Session uuids are random, so it cannot be guessed.
 */
const tokenOf = ({ session, block }: Run): string => `${session}.${block.uuid}`;

/** Reads the answers of a completed form from the network's reply, or from a text that is a JSON object. */
function formAnswers({ text, message }: Input): JsonObject | undefined {
  const reply = objectAt(message, 'interactive', 'nfm_reply');
  const value =
    typeof reply.response_json === 'string' ? readJson(reply.response_json) : readJson(text.trim().startsWith('{') ? text : null);
  return isObject(value) ? value : undefined;
}
