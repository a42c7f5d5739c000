import { Unavailable } from '#core';
import { ServiceUnreachable } from '#core/messaging';
import { type Flow, FlowOperatorError, FlowRefused } from '../../flows/plugin.js';
import { GraphError, notificationErrorOf } from '../graph/errors.js';
import { ruleOf } from '../graph/remedies.js';

/** An action on a flow. */
export type FlowAction = 'update' | 'upload' | 'publish' | 'delete' | 'deprecate';

const UNKNOWN_OBJECT = 33;

/** The statuses in which the network permits an action. */
const permitted: Readonly<Record<FlowAction, readonly Flow['status'][]>> = {
  update: ['DRAFT'],
  upload: ['DRAFT'],
  publish: ['DRAFT'],
  delete: ['DRAFT'],
  deprecate: ['PUBLISHED'],
};

export const notFound = (id: string): FlowRefused => new FlowRefused('not_found', `Flow ${id} does not exist in this business account`);
export const nameTaken = (name: string): FlowRefused =>
  new FlowRefused('name_taken', `This business account has another flow with the name ${name}`);

/** Whether the network says that there is no such object, or that the token may not see it. */
export const isUnknownObject = (error: unknown): boolean =>
  error instanceof GraphError && error.code === 100 && error.subcode === UNKNOWN_OBJECT;

/** @throws FlowRefused when the status of the flow forbids the action */
export function requirePermitted({ id, status }: Flow, action: FlowAction): void {
  if (permitted[action].includes(status)) return;
  throw new FlowRefused('invalid_status', `Flow ${id} is ${status}, which does not allow: ${action}`);
}

/**
 * The error to throw after the network refused an action. Decides by the flow as it is now, because one code of the network has several
 * meanings, and its texts are translated and change.
 */
export function refusalOf(error: unknown, flow: Flow, action: FlowAction): unknown {
  const { id, status, validation_errors: errors, endpoint_uri, application_id } = flow;
  if (!permitted[action].includes(status)) return new FlowRefused('invalid_status', `Flow ${id} is ${status}`);
  if (action === 'publish' && errors.length > 0) return new FlowRefused('has_errors', `Flow ${id} has ${errors.length} validation errors`);
  if (action === 'publish' && endpoint_uri !== undefined && application_id === undefined) {
    return new FlowRefused('no_application', `Flow ${id} has an endpoint_uri and requires an application_id`);
  }
  return apiErrorOf(error);
}

/** An error of the network as one of this API: what the caller can fix keeps its code and texts, anything else is 503. */
export function apiErrorOf(error: unknown): unknown {
  if (error instanceof ServiceUnreachable) return new Unavailable(error.message, 5, 'network_unreachable');
  if (!(error instanceof GraphError)) return error;
  const { code, title, details } = notificationErrorOf(error.error);
  if (ruleOf(error.code, error.status).remedy !== 'refuse')
    return new Unavailable(`The network refused the call: ${code} ${title}`, 5, 'network_refused');
  const { message = title, error_user_title = title, error_user_msg = details } = error.error;
  return new FlowOperatorError({ code, message, title: error_user_title, details: error_user_msg });
}
