import type { Transaction } from '#core';
import type { Flow, FlowAdmission, FlowStatus, SentFlow } from '../../flows/plugin.js';
import { flowPositions } from '../records.js';

/** A flow and its status, as far as positions and statuses need them. */
type KnownFlow = Pick<Flow, 'id' | 'status'>;

/**
 * Appends flows that were not seen before, and stores the statuses of all.
 * @returns the previous statuses, by flow; a new flow has none
 */
export async function remember(tx: Transaction, account: string, flows: readonly KnownFlow[]): Promise<ReadonlyMap<string, FlowStatus>> {
  const table = tx.in(flowPositions);
  let last = (await table.find('position', { equals: [account], limit: 1, order: 'descending' }))[0]?.position ?? 0;
  const before = new Map<string, FlowStatus>();
  for (const { id, status } of flows) {
    const known = await table.get(id);
    if (known?.status !== undefined) before.set(id, known.status);
    if (known?.status !== status) table.put({ id, account, position: known?.position ?? ++last, status });
  }
  return before;
}

/**
 * Refuses a flow that the network has blocked, and warns about a throttled one. The network decides about all other flows, because a flow
 * can be changed there without a call of this platform.
 */
export async function admission(tx: Transaction, account: string, { flow_id: id }: SentFlow): Promise<FlowAdmission> {
  const known = await tx.in(flowPositions).get(id);
  const status = known?.account === account ? known.status : undefined;
  if (status === 'BLOCKED') {
    const details = `The network has blocked the flow ${id}; it cannot be sent until its endpoint works again`;
    return { admitted: false, code: 132068, title: 'Flow is in blocked state', details };
  }
  if (status !== 'THROTTLED') return { admitted: true, hints: [] };
  const hint = {
    name: 'cloud_api_flow_throttled',
    message: `The network has throttled the flow ${id}: it accepts 10 messages with it in an hour, and refuses others with 132069.`,
    fix: 'Fix the endpoint of the flow. The network lifts the limit when it works again.',
  };
  return { admitted: true, hints: [hint] };
}
