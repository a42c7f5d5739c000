import { type Transaction, Unavailable } from '#core';
import type { FlowChange, FlowOperator, FlowPage, NewFlow, SentFlow } from '../../flows/plugin.js';

/** An operator for the accounts of connected numbers. */
export type HostingOperator = FlowOperator & Required<Pick<FlowOperator, 'hosts' | 'admit'>>;

/**
 * The operator of the flows of connected numbers: their flows are those of their business account on the network. Pass the same one to
 * `flows({ operator })` and to `cloudApi({ flowOperator })`. Accounts without a connected number keep the local operator.
 */
export class GraphFlowOperator implements FlowOperator {
  #actual: HostingOperator | undefined;

  /** Called by the plugin when it is registered, again when a platform replaces another, as after a reset of a sandbox. */
  attach(actual: HostingOperator): void {
    this.#actual = actual;
  }

  /** @throws Unavailable when a host has passed the operator to `flows` only: no account may then keep the local one unnoticed */
  async hosts(account: string): Promise<boolean> {
    return this.#attached().hosts(account);
  }

  create(account: string, flow: NewFlow) {
    return this.#attached().create(account, flow);
  }

  update(account: string, id: string, change: FlowChange) {
    return this.#attached().update(account, id, change);
  }

  upload(account: string, id: string, definition: Uint8Array) {
    return this.#attached().upload(account, id, definition);
  }

  publish(account: string, id: string) {
    return this.#attached().publish(account, id);
  }

  delete(account: string, id: string) {
    return this.#attached().delete(account, id);
  }

  deprecate(account: string, id: string) {
    return this.#attached().deprecate(account, id);
  }

  list(account: string, page?: FlowPage) {
    return this.#attached().list(account, page);
  }

  assets(account: string, id: string) {
    return this.#attached().assets(account, id);
  }

  preview(account: string, id: string, options: { readonly invalidate: boolean }) {
    return this.#attached().preview(account, id, options);
  }

  admit(tx: Transaction, account: string, sent: SentFlow) {
    return this.#attached().admit(tx, account, sent);
  }

  #attached(): HostingOperator {
    if (!this.#actual) throw new Unavailable('The flow operator is not passed to cloudApi({ flowOperator })', 5, 'flow_operator_missing');
    return this.#actual;
  }
}

/** A flow operator for `flows({ operator })` and `cloudApi({ flowOperator })`. */
export const graphFlowOperator = (): GraphFlowOperator => new GraphFlowOperator();
