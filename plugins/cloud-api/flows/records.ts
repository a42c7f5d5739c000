import { collection } from '#core';

/** A flow of a connected account, in the order in which it was first seen: the network's own order is not documented. */
export interface FlowPosition {
  /** The id of the flow. It stays when the flow is deleted, so that cursors to it stay valid. */
  readonly id: string;
  readonly account: string;
  readonly position: number;
}

export const flowPositions = collection<FlowPosition>({ key: 'id', tenant: { account: 'account' }, indexes: { position: ['account', 'position'] } });
