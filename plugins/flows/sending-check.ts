import { advice, MessageRefused, type OutboundCheck, type Transaction } from '#core';
import type { FlowOperator, SentFlow } from './operator/flow-operator.js';

interface FlowTurn {
  readonly interactive?: {
    readonly type?: string;
    readonly action?: {
      readonly parameters?: {
        readonly flow_id?: string;
        readonly mode?: string;
        readonly flow_action_payload?: { readonly screen?: string; readonly data?: object };
      };
    };
  };
}

/** Where the errors of the network are described. */
const HREF = 'https://posthorn.invalid/network-errors';

/**
 * Lets the operator look at every message with a flow before it is recorded. Numbers of the network send the flows of their
 * account only. A connector may show flows that are kept elsewhere, so of its messages those with flows of ours are looked at; a
 * channel without an account may show anybody's.
 */
export function flowCheck(operator: FlowOperator, ownerOf?: (tx: Transaction, id: string) => Promise<string | undefined>): OutboundCheck {
  return async (tx, { number, turn }) => {
    const sent = sentFlow(turn as FlowTurn);
    if (!sent || !operator.admit) return;
    let account = number.account ?? '';
    if (number.kind !== 'network') {
      const owner = await ownerOf?.(tx, sent.flow_id);
      if (owner === undefined || (number.account !== null && number.account !== owner)) return;
      account = owner;
    }
    const admission = await operator.admit(tx, account, sent);
    if (!admission.admitted) {
      const { code, title, details } = admission;
      throw new MessageRefused({ code, title, details, href: HREF });
    }
    for (const hint of admission.hints) tx.emit(advice, { ...hint, number: number.uuid, about: { flow: sent.flow_id } });
  };
}

function sentFlow({ interactive }: FlowTurn): SentFlow | undefined {
  const { flow_id, mode, flow_action_payload: payload } = interactive?.action?.parameters ?? {};
  if (interactive?.type !== 'flow' || flow_id === undefined) return undefined;
  return {
    flow_id,
    mode: mode === 'draft' ? 'draft' : 'published',
    screen: payload?.screen,
    data: Object.keys(payload?.data ?? {}),
  };
}
