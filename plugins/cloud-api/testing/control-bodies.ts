import { anyOf, anyString, array, boolean, integer, number, object, oneOf, record, string } from '#core';
import { messageStatuses } from './rules.js';
import type { StandInTemplateStatus } from './templates.js';

/** Bodies of the control surface. They refuse fields that they do not know, because people write them, and a misspelt field would change nothing. */

const ms = () => number().min(0);
const error = anyOf(
  integer(),
  object(
    { code: integer() },
    {
      ...{
        details: anyString(),
        title: anyString(),
        message: anyString(),
        type: string(),
        userTitle: anyString(),
        userMessage: anyString(),
      },
      status: integer().min(400).max(599),
      subcode: integer(),
      isTransient: boolean(),
    },
  ),
);

export const callbackBody = object({ url: string().uri({ scheme: ['http', 'https'] }) }, { verify_token: string() });

const aMessage = object({ type: string() }).unknown();
export const messageBody = object({ from: string() }, { text: string(), message: aMessage, to: string(), reply_to: string() }).xor(
  'text',
  'message',
);

export const statusBody = object({ id: string(), status: oneOf(...messageStatuses) }, { error });

const planned = object({ status: oneOf(...messageStatuses) }, { afterMs: ms(), happenedMs: ms(), error, copies: integer().min(1) });
export const ruleBody = object(
  {},
  {
    on: object({}, { method: string(), path: string(), to: string(), type: string(), contains: string() }),
    times: integer().min(1),
    skip: integer().min(0),
    error,
    holdMs: ms(),
    statuses: array(planned),
    messageStatus: string(),
    respond: object({ status: integer().min(200).max(599) }, { headers: record(anyString()), body: anyString() }),
    connection: oneOf('reset', 'reset after', 'silent', 'answer twice'),
  },
).oxor('error', 'respond', 'connection');

export const switchesBody = object(
  {},
  {
    ...{
      closedWindow: oneOf('status', 'refuse', 'open'),
      throttledStatus: integer().valid(429, 400),
      missingToken: integer().valid(190, 104),
    },
    messagesPerSecond: number().min(0),
    pairBurst: number().min(0),
    pairGapMs: ms(),
    statuses: oneOf('automatic', 'manual'),
    hiddenNumber: oneOf('missing', 'empty'),
    flowErrors: integer().valid(139000, 100),
    publishWithErrors: oneOf('draft', 'refuse'),
    echoesOpaqueDataOnFailed: boolean(),
    contactsBesideFailed: boolean(),
    mediaUrls: boolean(),
    mediaRedirects: boolean(),
    uploadReopensFlow: boolean(),
    approvesTemplates: boolean(),
  },
);

const templateStatus = oneOf<readonly StandInTemplateStatus[]>('APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED');
export const templateBody = object(
  { name: string() },
  {
    wabaId: string(),
    language: string(),
    category: string(),
    status: templateStatus,
    rejected_reason: string(),
    components: array(object({ type: string() }).unknown()),
  },
);
export const templateStatusBody = object({ status: templateStatus }, { reason: string() });
