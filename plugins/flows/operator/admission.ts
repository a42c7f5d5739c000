import type { Clock, Transaction } from '#core';
import { sendingRules } from '../life-cycle.js';
import { type FlowRecord, throttles } from '../records.js';
import type { FlowAdmission, FlowHint, SentFlow } from './flow-operator.js';

/** Maximum number of messages per hour with a throttled flow (Limits, "Throttled flow"). */
const MESSAGES_AN_HOUR = 10;
const HOUR_MS = 60 * 60 * 1000;

const refusals = {
  unknown: [131009, 'Parameter value is not valid'],
  status: [131009, 'Parameter value is not valid'],
  blocked: [132068, 'Flow is in blocked state'],
  throttled: [132069, 'Flow is in throttled state'],
} as const;

/** Decides whether a flow may be sent now. Messages with a throttled flow are counted over a sliding hour; the count is updated in `tx`. */
export async function admission(tx: Transaction, flow: FlowRecord | undefined, sent: SentFlow, clock: Clock): Promise<FlowAdmission> {
  if (!flow) return refused('unknown', `This business account has no flow with the id ${JSON.stringify(sent.flow_id)}; check flow_id`);
  const { id, status } = flow;
  const rule = sendingRules[status][sent.mode];
  if (rule === 'refused') {
    if (status === 'BLOCKED') return refused('blocked', `The flow ${id} is blocked and cannot be sent`);
    return refused('status', `The flow ${id} is ${status} and cannot be sent with mode '${sent.mode}'${adviceFor(flow)}`);
  }
  if (rule === 'limited' && !(await countSending(tx, id, clock.now().getTime()))) {
    return refused('throttled', `The flow ${id} is throttled and was sent ${MESSAGES_AN_HOUR} times within the last hour; try again later`);
  }
  return { admitted: true, hints: hintsFor(flow, sent) };
}

const refused = (why: keyof typeof refusals, details: string): FlowAdmission => ({
  admitted: false,
  code: refusals[why][0],
  title: refusals[why][1],
  details,
});

const adviceFor = ({ status }: FlowRecord): string =>
  status === 'DRAFT' ? "; publish it, or test it with mode 'draft'" : status === 'DEPRECATED' ? '' : "; use mode 'published'";

async function countSending(tx: Transaction, flow: string, now: number): Promise<boolean> {
  const records = tx.in(throttles);
  const sent = ((await records.get(flow))?.sent ?? []).filter((at) => at > now - HOUR_MS);
  if (sent.length >= MESSAGES_AN_HOUR) return false;
  records.put({ flow, sent: [...sent, now] });
  return true;
}

/** Returns hints about a `flow_action_payload` that a phone would not display as intended: a wrong start screen, or undeclared data. */
function hintsFor({ id, outline }: FlowRecord, { screen: screenId, data }: SentFlow): FlowHint[] {
  if (screenId === undefined) return [];
  const screen = outline.screens.find((one) => one.id === screenId);
  if (!screen) {
    return [
      {
        name: 'flow_screen_unknown',
        message: `flow_action_payload.screen is '${screenId}', but flow ${id} has no such screen.`,
        fix: `Use one of its entry screens: ${outline.entries.join(', ') || 'it has none'}.`,
      },
    ];
  }
  const hints: FlowHint[] = [];
  if (!outline.entries.includes(screenId)) {
    hints.push({
      name: 'flow_screen_not_first',
      message: `flow_action_payload.screen is '${screenId}', which is not an entry screen of flow ${id}: other screens lead to it.`,
      fix: `Open the flow at an entry screen: ${outline.entries.join(', ') || 'it has none'}.`,
    });
  }
  const undeclared = data.filter((name) => !screen.data.includes(name));
  if (undeclared.length > 0) {
    hints.push({
      name: 'flow_data_not_declared',
      message: `flow_action_payload.data has ${undeclared.join(', ')}, which screen '${screenId}' of flow ${id} does not declare.`,
      fix: 'Declare these fields in the data of the screen, and set the init-value of each input that they fill.',
    });
  }
  return hints;
}
