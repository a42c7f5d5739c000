import type { Row } from './row.js';

/** Endpoints: calls to an integration, and the one it makes. */
export const endpointsIntegration: readonly Row[] = [
  {
    id: 'endpoints.integration.handshake',
    rule: 'The handshake calls the context URL with the query parameter handshake set to true.',
    status: 'done',
    tests: [
      'test/plugins/integration/handshake.test.ts > an integration is greeted when it is made: by POST, in the query and in the body, signed',
    ],
  },
  {
    id: 'endpoints.integration.handshake.when',
    rule: 'The handshake is made after the integration was configured.',
    status: 'done',
    tests: [
      'test/plugins/integration/handshake.test.ts > an integration is greeted when it is made: by POST, in the query and in the body, signed',
    ],
  },
  {
    id: 'endpoints.integration.handshake.not-shown.method',
    rule: 'Not shown: the method of the handshake.',
    status: 'done',
    tests: [
      'test/plugins/integration/handshake.test.ts > an integration is greeted when it is made: by POST, in the query and in the body, signed',
    ],
    note: 'POST, with the flag in the query and in the body.',
  },
  {
    id: 'endpoints.integration.refresh',
    rule: "When a conversation is opened chat and messages are POSTed to the integration's URL.",
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > when a conversation is opened its integrations are told of it: the chat, and ten messages, newest first',
    ],
  },
  {
    id: 'endpoints.integration.refresh.response',
    rule: 'The answer is an update: version, context_objects, actions and perhaps suggested_responses.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first',
      'test/plugins/integration/panels.test.ts > an answer may leave out everything, and what is unknown or wrong in it is named and passed over',
    ],
  },
  {
    id: 'endpoints.integration.click',
    rule: 'A click POSTs the callback body to the url of the action, on the integration configured.',
    status: 'done',
    tests: [
      'test/plugins/integration/actions.test.ts > a click tells the integration who, which message, which option and what it had put there',
      'test/plugins/integration/actions.test.ts > an address may be relative, a path or whole; the API token goes to the configured origin only, the signature everywhere',
    ],
  },
  {
    id: 'endpoints.integration.rule-1',
    rule: 'Rule 1: an answer to an action with the header X-Svc-Integration-Refresh: true reloads context and actions at once.',
    status: 'done',
    tests: ['test/plugins/integration/actions.test.ts > an answer with the refresh header reloads the conversation at once'],
  },
  {
    id: 'endpoints.integration.rule-2',
    rule: 'Rule 2: POST /api/integrations/<integration_uuid>/notify/finish refreshes later.',
    status: 'done',
    tests: [
      'test/plugins/integration/actions.test.ts > later, the integration says that it is done, and the conversation that is still open is refreshed, once',
      'test/plugins/integration/actions.test.ts > whoever says that an action is done has to know both names; a token has to be good, and of the number',
    ],
    route: 'POST /api/integrations/:integration_uuid/notify/finish',
  },
  {
    id: 'endpoints.integration.rule-2.body',
    rule: 'Rule 2: its body has integration_action_uuid, as text.',
    status: 'done',
    tests: [
      'test/plugins/integration/actions.test.ts > whoever says that an action is done has to know both names; a token has to be good, and of the number',
    ],
  },
  {
    id: 'endpoints.integration.rule-2.polls',
    rule: 'Rule 2: then the integration is polled and the view refreshed.',
    status: 'done',
    tests: [
      'test/plugins/integration/actions.test.ts > later, the integration says that it is done, and the conversation that is still open is refreshed, once',
    ],
  },
  {
    id: 'endpoints.integration.rule-2.not-shown.response',
    rule: 'Rule 2, not shown: the body of its answer.',
    status: 'done',
    tests: [
      'test/plugins/integration/actions.test.ts > later, the integration says that it is done, and the conversation that is still open is refreshed, once',
    ],
    note: '201 with an empty object.',
  },
];
