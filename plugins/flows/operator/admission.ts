import type { Clock, Transaction } from '#core';
import { sending } from '../life-cycle.js';
import { type FlowRecord, throttles } from '../records.js';
import type { FlowAdmission, FlowHint, SentFlow } from './flow-operator.js';

/** A throttled flow is limited to ten messages an hour (Limits). */
const MESSAGES_AN_HOUR = 10;
const HOUR_MS = 60 * 60 * 1000;

/** By what is wrong: the network's code, and its title. */
const refusals = {
  unknown: [131009, 'Parameter value is not valid'],
  status: [131009, 'Parameter value is not valid'],
  blocked: [132068, 'Flow is in blocked state'],
  throttled: [132069, 'Flow is in throttled state'],
} as const;

/** Whether a flow may be sent now. A throttled flow's messages are counted over the hour before each of them. */
export async function admission(tx: Transaction, flow: FlowRecord | undefined, sent: SentFlow, clock: Clock): Promise<FlowAdmission> {
  if (!flow) return refused('unknown', `flow_id names no flow of this business account: ${JSON.stringify(sent.flow_id)}`);
  const { id, status } = flow;
  const rule = sending[status][sent.mode];
  if (rule === 'refused') {
    if (status === 'BLOCKED') return refused('blocked', `The flow ${id} is blocked and cannot be sent`);
    return refused('status', `The flow ${id} is ${status} and cannot be sent with mode '${sent.mode}'${adviceFor(flow)}`);
  }
  if (rule === 'limited' && !(await counted(tx, id, clock.now().getTime()))) {
    return refused('throttled', `The flow ${id} is throttled: it was sent ${MESSAGES_AN_HOUR} times within the last hour`);
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
  status === 'DRAFT' ? "; publish it, or test it with mode 'draft'" : status === 'DEPRECATED' ? '' : "; its mode is 'published'";

async function counted(tx: Transaction, flow: string, now: number): Promise<boolean> {
  const records = tx.in(throttles);
  const sent = ((await records.get(flow))?.sent ?? []).filter((at) => at > now - HOUR_MS);
  if (sent.length >= MESSAGES_AN_HOUR) return false;
  records.put({ flow, sent: [...sent, now] });
  return true;
}

/** What a phone would trip over: a start in the middle, and data that the screen knows nothing of. */
function hintsFor({ id, outline }: FlowRecord, { screen: named, data }: SentFlow): FlowHint[] {
  if (named === undefined) return [];
  const screen = outline.screens.find((one) => one.id === named);
  if (!screen) {
    return [
      {
        name: 'flow_screen_unknown',
        message: `flow_action_payload.screen is '${named}', and flow ${id} has no such screen.`,
        fix: `Name one of its screens: ${outline.entries.join(', ') || 'it has none'}.`,
      },
    ];
  }
  const hints: FlowHint[] = [];
  if (!outline.entries.includes(named)) {
    hints.push({
      name: 'flow_screen_not_first',
      message: `flow_action_payload.screen is '${named}', to which other screens of flow ${id} lead.`,
      fix: `Open the flow at a screen to which none leads: ${outline.entries.join(', ') || 'it has none'}.`,
    });
  }
  const undeclared = data.filter((name) => !screen.data.includes(name));
  if (undeclared.length > 0) {
    hints.push({
      name: 'flow_data_not_declared',
      message: `flow_action_payload.data has ${undeclared.join(', ')}, which screen '${named}' of flow ${id} does not declare.`,
      fix: 'Declare them in the data of the screen, and give each input they fill an init-value.',
    });
  }
  return hints;
}
