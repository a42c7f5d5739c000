import { advice, type Consumer, consume, type JsonObject, type NumberRecord, type PluginContext, queue, type Transaction } from '#core';
import { type Flow, FlowRefused } from '../../flows/plugin.js';
import type { Connections } from '../numbers/connections.js';
import { type EventHandler, shortened } from '../receiving/account-events.js';
import { remember } from './statuses.js';

const FLOW_ID = /^\d{1,32}$/;
/** Statuses in which the network limits or refuses messages with a flow. */
const LIMITED = new Set<Flow['status']>(['THROTTLED', 'BLOCKED']);

/** Jobs that read the status of a flow, because the network reports statuses in any order and more than once. */
const reads = queue<{ readonly number: string; readonly account: string; readonly flow: string; readonly report: string }>(
  'cloud-api.flows',
  ({ flow }) => ({ kind: 'flow', id: flow, title: `status of flow ${flow}` }),
);

/** Webhooks about flows: changes of their status, and alarms about their endpoint, which can lead to one. */
export function flowEvents(connections: Connections): EventHandler {
  return async (tx, number, field, value) => {
    if (field !== 'flows') return false;
    const { waba_id: account } = (await connections.of(number.uuid)) ?? {};
    const flow = String(value.flow_id ?? '');
    if (account === undefined || !FLOW_ID.test(flow)) return true;
    const report = typeof value.message === 'string' ? value.message : '';
    tx.push(reads, { number: number.uuid, account, flow, report }, { id: `${account}/${flow}` });
    if (value.event !== 'FLOW_STATUS_CHANGE') alarm(tx, number, flow, value);
    return true;
  };
}

/** Reads and stores statuses of flows, and issues advice when a flow becomes throttled or blocked. */
export function flowStatusConsumer(
  { store, log }: Pick<PluginContext, 'store' | 'log'>,
  { read }: { read(account: string, id: string): Promise<Flow> },
): Consumer {
  return consume(reads, async (job) => {
    const { number, account, flow: id, report } = job.payload;
    const flow = await read(account, id).catch((error: unknown) => {
      if (!(error instanceof FlowRefused)) throw error;
      log.info('a flow of a webhook does not exist in its account', { number_id: number, account, flow: id });
      return undefined;
    });
    await store.transaction(async (tx) => {
      job.done(tx);
      if (!flow) return;
      const before = (await remember(tx, account, [flow])).get(id);
      if (before !== flow.status && LIMITED.has(flow.status)) tx.emit(advice, limited(number, flow, report));
    });
  });
}

function limited(number: string, { id, name, status }: Flow, report: string) {
  const isBlocked = status === 'BLOCKED';
  return {
    name: isBlocked ? 'cloud_api_flow_blocked' : 'cloud_api_flow_throttled',
    ...(isBlocked && { severity: 'warning' as const }),
    number,
    message: `The network reports ${status} for the flow '${name}' (${id})${report === '' ? '' : `: ${shortened(report)}`} ${
      isBlocked ? 'It can neither be sent nor opened.' : 'It can be sent 10 times in an hour.'
    }`,
    fix: 'Fix the endpoint of the flow: it responds too often with errors, too slowly or not at all. The network lifts the limit when it works again.',
    about: { flow: id },
  };
}

/** An alarm about the endpoint of a flow: its error rate, latency or availability. */
function alarm(tx: Transaction, { uuid: number }: NumberRecord, flow: string, value: JsonObject): void {
  if (value.alert_state === 'DEACTIVATED') return;
  tx.emit(advice, {
    name: 'cloud_api_flow_endpoint',
    number,
    message: `The network reports about the endpoint of flow ${flow}: ${shortened(JSON.stringify(value))}`,
    fix: 'Look at the endpoint of the flow. The network throttles and blocks flows whose endpoint fails or is slow.',
    about: { flow },
  });
}
