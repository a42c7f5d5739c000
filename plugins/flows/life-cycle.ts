import { type FlowStatus, flowStatuses } from './operator/flow-operator.js';

export const flowActions = ['update', 'upload', 'publish', 'delete', 'deprecate'] as const;
export type FlowAction = (typeof flowActions)[number];

/** The status after an action, by current status (States, "Flow status"). `invalid`: the action fails with `invalid_status`. */
export const lifeCycle: Readonly<Record<FlowStatus, Readonly<Record<FlowAction, FlowStatus | 'removed' | 'invalid'>>>> = {
  DRAFT: { update: 'DRAFT', upload: 'DRAFT', publish: 'PUBLISHED', delete: 'removed', deprecate: 'invalid' },
  PUBLISHED: { update: 'invalid', upload: 'invalid', publish: 'invalid', delete: 'invalid', deprecate: 'DEPRECATED' },
  DEPRECATED: { update: 'invalid', upload: 'invalid', publish: 'invalid', delete: 'invalid', deprecate: 'invalid' },
  THROTTLED: { update: 'invalid', upload: 'invalid', publish: 'invalid', delete: 'invalid', deprecate: 'invalid' },
  BLOCKED: { update: 'invalid', upload: 'invalid', publish: 'invalid', delete: 'invalid', deprecate: 'invalid' },
};

/** Whether a flow may be sent, by status and by the `mode` of the message. `limited`: ten messages an hour. */
export const sendingRules: Readonly<Record<FlowStatus, Readonly<Record<'published' | 'draft', 'sent' | 'limited' | 'refused'>>>> = {
  DRAFT: { published: 'refused', draft: 'sent' },
  PUBLISHED: { published: 'sent', draft: 'refused' },
  DEPRECATED: { published: 'refused', draft: 'refused' },
  THROTTLED: { published: 'limited', draft: 'refused' },
  BLOCKED: { published: 'refused', draft: 'refused' },
};

/**
 * On the network, the health of the endpoint moves a flow between these statuses. The local operator calls no endpoint, so these moves
 * are made through the admin API.
 */
export const healthMoves: Readonly<Record<FlowStatus, readonly FlowStatus[]>> = {
  DRAFT: [],
  PUBLISHED: ['THROTTLED', 'BLOCKED'],
  DEPRECATED: [],
  THROTTLED: ['PUBLISHED', 'BLOCKED'],
  BLOCKED: ['THROTTLED', 'PUBLISHED'],
};

/** The statuses in which an action is allowed, as text for messages. */
export const allowedStatuses = (action: FlowAction): string =>
  flowStatuses.filter((status) => lifeCycle[status][action] !== 'invalid').join(' or ');

interface Judged {
  readonly status: FlowStatus;
  readonly validation_errors: readonly unknown[];
  readonly endpoint_uri?: string;
  readonly application_id?: string;
}

/** Why an action would be refused now, for each action that would be. */
export function refusalsOf(flow: Judged): Partial<Record<FlowAction, string>> {
  return Object.fromEntries(
    flowActions.flatMap((action) => {
      const reason = refusalOf(flow, action);
      return reason === undefined ? [] : [[action, reason]];
    }),
  );
}

function refusalOf({ status, validation_errors: errors, endpoint_uri, application_id }: Judged, action: FlowAction): string | undefined {
  if (lifeCycle[status][action] === 'invalid') return `The flow is ${status}; it must be ${allowedStatuses(action)}.`;
  if (action !== 'publish') return undefined;
  if (errors.length > 0)
    return `The flow has ${errors.length === 1 ? 'an error' : `${errors.length} errors`}; only a flow without errors can be published.`;
  if (endpoint_uri !== undefined && application_id === undefined) return 'The flow has an endpoint_uri and requires an application_id.';
  return undefined;
}
