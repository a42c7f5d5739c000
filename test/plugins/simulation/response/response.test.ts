import t from 'tap';
import type { JourneyEvent, JourneyPosition } from '../../../../plugins/journeys/engine/session.js';
import type { TurnResult } from '../../../../plugins/journeys/running/run-turn.js';
import { reportFor, responseOf } from '../../../../plugins/simulation/response/response.js';

const at: JourneyPosition = { journey: 'j', flow: 'f', block: 'b', name: 'n', type: 'SmartDevices.PhotoResponse', card: 'c' };
const details = { block: {}, context: {}, resources: [], evaluated_resources: [] };
const call = {
  method: 'GET',
  url: 'u',
  headers: {},
  body: null,
  json: null,
  query: {},
  params: {},
  status: 200,
  mocked: true,
  failures: [],
};

/** An event of each type. */
const events: { readonly [Type in JourneyEvent['type']]: Extract<JourneyEvent, { readonly type: Type }> } = {
  message_out: { type: 'message_out', at, turn: { type: 'text', text: { body: 'Hi' } }, waiting: false, step: details, options: ['a'] },
  wait: { type: 'wait', at },
  input_received: { type: 'input_received', at, text: 'x', kind: 'text' },
  input_invalid: { type: 'input_invalid', at, text: 'x', reason: 'r', attempt: 1 },
  input_ignored: { type: 'input_ignored', text: 'x', reason: 'r' },
  exit_taken: { type: 'exit_taken', at, exit: 'e', to: null },
  variable_set: { type: 'variable_set', at, name: 'v', value: 1 },
  result_written: { type: 'result_written', at, name: 'v', value: 1 },
  contact_field_set: { type: 'contact_field_set', at, key: 'k', old: null, new: 1 },
  journey_entered: { type: 'journey_entered', at, journey: 'j', flow: 'f' },
  journey_returned: { type: 'journey_returned', at, journey: 'j', flow: 'f' },
  http_call: { type: 'http_call', at, call },
  skill_call: { type: 'skill_call', at, name: 's', arguments: {}, output: 1 },
  ai_call: { type: 'ai_call', at, connection: 'c', model: 'm', outcome: 'o', tokens: { input: 1, output: 1 }, elapsedMs: 1 },
  action_routed: { type: 'action_routed', at, action: 'a' },
  group_changed: { type: 'group_changed', at, group: 'g', name: 'n', member: true },
  label_added: { type: 'label_added', at, label: 'l' },
  handed_over: { type: 'handed_over', at, queue: null, note: 'n' },
  scheduled: { type: 'scheduled', at, journey: 'j', moment: 'm' },
  schedule_cancelled: { type: 'schedule_cancelled', at, journey: 'j' },
  ended: { type: 'ended', at, reason: 'r' },
  expired: { type: 'expired', at },
  log: { type: 'log', at, text: 'x' },
  warning: { type: 'warning', at, expression: 'e', reason: 'r' },
  failure: { type: 'failure', at, code: 'c', reason: 'r' },
};

const response = (event?: JourneyEvent) => {
  const head = { status: 'waiting', revisions: [], contact: {}, card: '', block: null, turns: 1 } as const;
  const turn: TurnResult = { session: '', head, context: {}, events: event ? [event] : [], next: { kind: 'end' }, deferred: [] };
  return JSON.stringify(responseOf('simulation-1', [turn], undefined));
};

t.test('a turn without debug requests the events that change its response, and no others', async (t) => {
  const changing = Object.values(events).filter((event) => response(event) !== response());
  t.strictSame([...reportFor(false).events!].sort(), changing.map(({ type }) => type).sort());
  t.strictSame(reportFor(true), { context: true }, 'with debug all of them');
});
