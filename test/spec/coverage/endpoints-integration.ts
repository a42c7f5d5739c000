import { rowsOf } from './row.js';

/** Endpoints: calls to an integration, and the one it makes. */
// biome-ignore format: a row takes two lines, the rule and the tests that show it
export const endpointsIntegration = rowsOf([
  ['endpoints.integration.handshake', 'The handshake calls the context URL with the query parameter handshake set to true.',
    ['test/plugins/integration/handshake.test.ts > an integration is greeted when it is made: by POST, in the query and in the body, signed']],
  ['endpoints.integration.handshake.when', 'The handshake is made after the integration was configured.',
    ['test/plugins/integration/handshake.test.ts > an integration is greeted when it is made: by POST, in the query and in the body, signed']],
  ['endpoints.integration.handshake.not-shown.method', 'Not shown: the method of the handshake.',
    ['test/plugins/integration/handshake.test.ts > an integration is greeted when it is made: by POST, in the query and in the body, signed'], { note: 'POST, with the flag in the query and in the body.' }],
  ['endpoints.integration.refresh', "When a conversation is opened chat and messages are POSTed to the integration's URL.",
    ['test/plugins/integration/panels.test.ts > when a conversation is opened its integrations are told of it: the chat, and ten messages, newest first']],
  ['endpoints.integration.refresh.response', 'The answer is an update: version, context_objects, actions and perhaps suggested_responses.',
    ['test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first', 'test/plugins/integration/panels.test.ts > an answer may leave out everything, and what is unknown or wrong in it is named and passed over']],
  ['endpoints.integration.click', 'A click POSTs the callback body to the url of the action, on the integration configured.',
    ['test/plugins/integration/actions.test.ts > a click tells the integration who, which message, which option and what it had put there', 'test/plugins/integration/actions.test.ts > an address may be relative, a path or whole; the API token goes to the configured origin only, the signature everywhere']],
  ['endpoints.integration.rule-1', 'Rule 1: an answer to an action with the header X-Svc-Integration-Refresh: true reloads context and actions at once.',
    ['test/plugins/integration/actions.test.ts > an answer with the refresh header reloads the conversation at once']],
  ['endpoints.integration.rule-2', 'Rule 2: POST /api/integrations/<integration_uuid>/notify/finish refreshes later.',
    ['test/plugins/integration/actions.test.ts > later, the integration says that it is done, and the conversation that is still open is refreshed, once', 'test/plugins/integration/actions.test.ts > whoever says that an action is done has to know both names; a token has to be good, and of the number'], { route: 'POST /api/integrations/:integration_uuid/notify/finish' }],
  ['endpoints.integration.rule-2.body', 'Rule 2: its body has integration_action_uuid, as text.',
    ['test/plugins/integration/actions.test.ts > whoever says that an action is done has to know both names; a token has to be good, and of the number']],
  ['endpoints.integration.rule-2.polls', 'Rule 2: then the integration is polled and the view refreshed.',
    ['test/plugins/integration/actions.test.ts > later, the integration says that it is done, and the conversation that is still open is refreshed, once']],
  ['endpoints.integration.rule-2.not-shown.response', 'Rule 2, not shown: the body of its answer.',
    ['test/plugins/integration/actions.test.ts > later, the integration says that it is done, and the conversation that is still open is refreshed, once'], { note: '201 with an empty object.' }],
]);
