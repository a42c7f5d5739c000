import { rowsOf } from './row.js';

/** Endpoints: the calls to an integration, and its call to the platform. */
// biome-ignore format: a row has two lines: the rule, and the tests that prove it
export const endpointsIntegration = rowsOf([
  ['endpoints.integration.handshake', 'The handshake calls the context URL with the query parameter handshake set to true.',
    ['test/plugins/integration/handshake.test.ts > creating an integration makes a signed handshake by POST, in the query and in the body']],
  ['endpoints.integration.handshake.when', 'The platform makes the handshake after the integration has been configured.',
    ['test/plugins/integration/handshake.test.ts > creating an integration makes a signed handshake by POST, in the query and in the body']],
  ['endpoints.integration.handshake.not-shown.method', 'Not shown: the HTTP method of the handshake.',
    ['test/plugins/integration/handshake.test.ts > creating an integration makes a signed handshake by POST, in the query and in the body'], { note: 'POST, with `handshake` in the query and in the body.' }],
  ['endpoints.integration.refresh', "When a conversation is opened, the platform POSTs chat and messages to the integration's URL.",
    ['test/plugins/integration/panels.test.ts > opening a conversation posts the chat and its ten newest messages to its integrations, newest first']],
  ['endpoints.integration.refresh.response', 'The response is an update: version, context_objects, actions and optionally suggested_responses.',
    ['test/plugins/integration/panels.test.ts > a panel has objects in the order of the handshake, numbered lists, and suggestions by confidence', 'test/plugins/integration/panels.test.ts > every part of a response is optional; unknown and invalid parts are ignored with warnings']],
  ['endpoints.integration.click', 'A click POSTs the callback body to the url of the action, relative to the configured integration.',
    ['test/plugins/integration/actions.test.ts > a click posts the contact, the message, the option and the payload that the integration offered', 'test/plugins/integration/actions.test.ts > the URL of an action may be relative or absolute; every call is signed, but only the configured origin gets the API token']],
  ['endpoints.integration.rule-1', 'Rule 1: a response to an action with the header X-Svc-Integration-Refresh: true reloads context and actions immediately.',
    ['test/plugins/integration/actions.test.ts > a response with the refresh header reloads the panels immediately']],
  ['endpoints.integration.rule-2', 'Rule 2: POST /api/integrations/<integration_uuid>/notify/finish requests a delayed refresh.',
    ['test/plugins/integration/actions.test.ts > notify/finish refreshes a conversation that is still open, once', 'test/plugins/integration/actions.test.ts > notify/finish requires both uuids; a token, if sent, must be valid and belong to the number'], { route: 'POST /api/integrations/:integration_uuid/notify/finish' }],
  ['endpoints.integration.rule-2.body', 'Rule 2: its body has integration_action_uuid, a string.',
    ['test/plugins/integration/actions.test.ts > notify/finish requires both uuids; a token, if sent, must be valid and belong to the number']],
  ['endpoints.integration.rule-2.polls', 'Rule 2: the platform then polls the integration and refreshes the view.',
    ['test/plugins/integration/actions.test.ts > notify/finish refreshes a conversation that is still open, once']],
  ['endpoints.integration.rule-2.not-shown.response', 'Rule 2, not shown: the response body of `notify/finish`.',
    ['test/plugins/integration/actions.test.ts > notify/finish refreshes a conversation that is still open, once'], { note: '201 with an empty object.' }],
]);
