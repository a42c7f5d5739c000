import { type FlowStatus, flowStatuses } from './operator/flow-operator.js';

export const flowActions = ['update', 'upload', 'publish', 'delete', 'deprecate'] as const;
export type FlowAction = (typeof flowActions)[number];

/** Where an action leads from a status (States, "Flow status"). `invalid` is the invalid-status error; the flow stays as it is. */
export const lifeCycle: Readonly<Record<FlowStatus, Readonly<Record<FlowAction, FlowStatus | 'removed' | 'invalid'>>>> = {
  DRAFT: { update: 'DRAFT', upload: 'DRAFT', publish: 'PUBLISHED', delete: 'removed', deprecate: 'invalid' },
  PUBLISHED: { update: 'invalid', upload: 'invalid', publish: 'invalid', delete: 'invalid', deprecate: 'DEPRECATED' },
  DEPRECATED: { update: 'invalid', upload: 'invalid', publish: 'invalid', delete: 'invalid', deprecate: 'invalid' },
  THROTTLED: { update: 'invalid', upload: 'invalid', publish: 'invalid', delete: 'invalid', deprecate: 'invalid' },
  BLOCKED: { update: 'invalid', upload: 'invalid', publish: 'invalid', delete: 'invalid', deprecate: 'invalid' },
};

/** How a flow in a status may be sent, by the `mode` of the message. `limited` means ten messages an hour. */
export const sending: Readonly<Record<FlowStatus, Readonly<Record<'published' | 'draft', 'sent' | 'limited' | 'refused'>>>> = {
  DRAFT: { published: 'refused', draft: 'sent' },
  PUBLISHED: { published: 'sent', draft: 'refused' },
  DEPRECATED: { published: 'refused', draft: 'refused' },
  THROTTLED: { published: 'limited', draft: 'refused' },
  BLOCKED: { published: 'refused', draft: 'refused' },
};

/**
 * What the health of an endpoint does to a flow on the network, in steps either way. No endpoint is called here, so it is the
 * admin API that takes the steps.
 */
export const healthMoves: Readonly<Record<FlowStatus, readonly FlowStatus[]>> = {
  DRAFT: [],
  PUBLISHED: ['THROTTLED', 'BLOCKED'],
  DEPRECATED: [],
  THROTTLED: ['PUBLISHED', 'BLOCKED'],
  BLOCKED: ['THROTTLED', 'PUBLISHED'],
};

/** The statuses from which an action leads somewhere, for messages. */
export const suitable = (action: FlowAction): string =>
  flowStatuses.filter((status) => lifeCycle[status][action] !== 'invalid').join(' or ');
