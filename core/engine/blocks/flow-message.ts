import type { Json, JsonObject } from '../../json.js';
import { readJson } from '../../json.js';
import type { Input } from '../../turns/input.js';
import type { Turn } from '../../turns/turn.js';
import { isObject, objectAt, textAt } from '../compile.js';
import { headerOf } from '../message-turns.js';
import { asText } from '../plain-value.js';
import type { BlockType, Run } from './block-type.js';
import { checkFrame, textOf, uuidsIn } from './config.js';
import { FRAME } from './settings.js';

const ACTIONS: readonly Json[] = ['navigate', 'data_exchange'];
const MODES: readonly Json[] = ['published', 'draft'];

/** Sends a form, and waits until it is filled in: then `completed`, with what was filled in as `payload`. */
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
      return { kind: 'fail', code: 'incomplete_form', reason: 'the block does not say which form to show, or what its button says' };
    }
    run.send([turnOf(run)], { waiting: true, options: [] });
    return { kind: 'wait' };
  },

  answer(_run, input) {
    const payload = filledIn(input);
    return payload ? { kind: 'continue', value: { __value__: 'completed', payload } } : { kind: 'invalid', reason: 'not_a_form' };
  },

  resources: ({ header, body, prompt, footer }) => uuidsIn(header, body ?? prompt, footer),

  check(block, report) {
    const { config } = block;
    const flow = objectAt(config, 'flow');
    report.resource('config.body', config.body ?? config.prompt);
    checkFrame(block, report);
    for (const key of ['flow_id', 'cta']) {
      if (textAt(flow, key) === '') report.error(`config.flow.${key}`, 'this is needed');
      else report.template(`config.flow.${key}`, flow[key]);
    }
    const { action = 'navigate', mode = 'published' } = flow;
    if (!ACTIONS.includes(action)) report.error('config.flow.action', `an action is one of ${ACTIONS.join(', ')}`);
    if (!MODES.includes(mode)) report.error('config.flow.mode', `a mode is one of ${MODES.join(', ')}`);
    if (action === 'navigate' && textAt(flow, 'screen') === '') report.error('config.flow.screen', 'no screen is named');
    for (const [name, value] of Object.entries(objectAt(flow, 'data'))) report.template(`config.flow.data.${name}`, value);
  },
};

function turnOf(run: Run): Turn {
  const { config } = run;
  const flow = objectAt(config, 'flow');
  const written = (key: string): string => run.text(textAt(flow, key));
  const header = headerOf(textOf(run.resource(config.header)), undefined);
  const footer = textOf(run.resource(config.footer));
  const data = Object.entries(objectAt(flow, 'data')).map(([name, value]) => [name, run.resolve(value)] as const);
  const screen = written('screen');
  const payload = { screen, ...(data.length > 0 && { data: Object.fromEntries(data) }) };
  return {
    type: 'interactive',
    interactive: {
      type: 'flow',
      ...(header && { header }),
      body: { text: textOf(run.resource(config.body ?? config.prompt)) },
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

/** The form comes back with it: whose run it belongs to, and which question. Who does not know the run cannot guess it. */
const tokenOf = ({ session, block }: Run): string => `${session}.${block.uuid}`;

/** What the network says of a form that was filled in; or, where there is no form, the answers as a JSON object. */
function filledIn({ text, message }: Input): JsonObject | undefined {
  const reply = objectAt(message, 'interactive', 'nfm_reply');
  const value =
    typeof reply.response_json === 'string' ? readJson(reply.response_json) : readJson(text.trim().startsWith('{') ? text : null);
  return isObject(value) ? value : undefined;
}
