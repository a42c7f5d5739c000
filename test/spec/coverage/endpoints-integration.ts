import type { Row } from './row.js';

/** Endpoints: calls to an integration, and the one it makes. */
export const endpointsIntegration: readonly Row[] = [
  {
    id: 'endpoints.integration.handshake',
    rule: 'The handshake calls the context URL with the query parameter handshake set to true.',
    status: 'absent',
  },
  { id: 'endpoints.integration.handshake.when', rule: 'The handshake is made after the integration was configured.', status: 'absent' },
  { id: 'endpoints.integration.handshake.not-shown.method', rule: 'Not shown: the method of the handshake.', status: 'absent' },
  {
    id: 'endpoints.integration.refresh',
    rule: "When a conversation is opened chat and messages are POSTed to the integration's URL.",
    status: 'absent',
  },
  {
    id: 'endpoints.integration.refresh.response',
    rule: 'The answer is an update: version, context_objects, actions and perhaps suggested_responses.',
    status: 'absent',
  },
  {
    id: 'endpoints.integration.click',
    rule: 'A click POSTs the callback body to the url of the action, on the integration configured.',
    status: 'absent',
  },
  {
    id: 'endpoints.integration.rule-1',
    rule: 'Rule 1: an answer to an action with the header X-Svc-Integration-Refresh: true reloads context and actions at once.',
    status: 'absent',
  },
  {
    id: 'endpoints.integration.rule-2',
    rule: 'Rule 2: POST /api/integrations/<integration_uuid>/notify/finish refreshes later.',
    status: 'absent',
    route: 'POST /api/integrations/:integration_uuid/notify/finish',
  },
  { id: 'endpoints.integration.rule-2.body', rule: 'Rule 2: its body has integration_action_uuid, as text.', status: 'absent' },
  { id: 'endpoints.integration.rule-2.polls', rule: 'Rule 2: then the integration is polled and the view refreshed.', status: 'absent' },
  { id: 'endpoints.integration.rule-2.not-shown.response', rule: 'Rule 2, not shown: the body of its answer.', status: 'absent' },
];
