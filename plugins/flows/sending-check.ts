import { advice, MessageRefused, type Transaction } from '#core';
import type { SendCheck } from '#core/messaging';
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

/** The `href` of errors that the network would return. */
const HREF = 'https://posthorn.invalid/network-errors';

/**
 * Asks the operator to admit each message with a flow, before the message is recorded. Network numbers can send only flows of their own
 * account. A connector may show flows that are stored elsewhere, so messages of channels are checked only when this operator has the
 * flow, and when the channel has no account or the account of the flow.
 */
export function flowCheck(
  operator: FlowOperator,
  ownerOf?: (tx: Transaction, id: string) => Promise<string | undefined>,
): SendCheck['check'] {
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
