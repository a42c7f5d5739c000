import { rowsOf } from './row.js';

/** Endpoints: calls to an integration, and the one it makes. */
// biome-ignore format: a row takes two lines, the rule and the tests that show it
export const endpointsIntegration = rowsOf([
  ['endpoints.integration.handshake', 'The handshake calls the context URL with the query parameter handshake set to true.',
    ['test/plugins/integration/handshake.test.ts > creating an integration makes a signed handshake by POST, in the query and in the body']],
  ['endpoints.integration.handshake.when', 'The handshake is made after the integration was configured.',
    ['test/plugins/integration/handshake.test.ts > creating an integration makes a signed handshake by POST, in the query and in the body']],
  ['endpoints.integration.handshake.not-shown.method', 'Not shown: the method of the handshake.',
    ['test/plugins/integration/handshake.test.ts > creating an integration makes a signed handshake by POST, in the query and in the body'], { note: 'POST, with the flag in the query and in the body.' }],
  ['endpoints.integration.refresh', "When a conversation is opened chat and messages are POSTed to the integration's URL.",
    ['test/plugins/integration/panels.test.ts > opening a conversation posts the chat and its ten newest messages to its integrations, newest first']],
  ['endpoints.integration.refresh.response', 'The answer is an update: version, context_objects, actions and perhaps suggested_responses.',
    ['test/plugins/integration/panels.test.ts > a panel has objects in the order of the handshake, numbered lists, and suggestions by confidence', 'test/plugins/integration/panels.test.ts > every part of a response is optional; unknown and invalid parts are ignored with warnings']],
  ['endpoints.integration.click', 'A click POSTs the callback body to the url of the action, on the integration configured.',
    ['test/plugins/integration/actions.test.ts > a click posts the contact, the message, the option and the payload that the integration offered', 'test/plugins/integration/actions.test.ts > the URL of an action may be relative or absolute; every call is signed, but only the configured origin gets the API token']],
  ['endpoints.integration.rule-1', 'Rule 1: an answer to an action with the header X-Svc-Integration-Refresh: true reloads context and actions at once.',
    ['test/plugins/integration/actions.test.ts > a response with the refresh header reloads the panels immediately']],
  ['endpoints.integration.rule-2', 'Rule 2: POST /api/integrations/<integration_uuid>/notify/finish refreshes later.',
    ['test/plugins/integration/actions.test.ts > notify/finish refreshes a conversation that is still open, once', 'test/plugins/integration/actions.test.ts > notify/finish requires both uuids; a token, if sent, must be valid and belong to the number'], { route: 'POST /api/integrations/:integration_uuid/notify/finish' }],
  ['endpoints.integration.rule-2.body', 'Rule 2: its body has integration_action_uuid, as text.',
    ['test/plugins/integration/actions.test.ts > notify/finish requires both uuids; a token, if sent, must be valid and belong to the number']],
  ['endpoints.integration.rule-2.polls', 'Rule 2: then the integration is polled and the view refreshed.',
    ['test/plugins/integration/actions.test.ts > notify/finish refreshes a conversation that is still open, once']],
  ['endpoints.integration.rule-2.not-shown.response', 'Rule 2, not shown: the body of its answer.',
    ['test/plugins/integration/actions.test.ts > notify/finish refreshes a conversation that is still open, once'], { note: '201 with an empty object.' }],
]);
