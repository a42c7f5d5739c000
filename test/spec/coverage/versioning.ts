import { rowsOf } from './row.js';

/** Versioning. */
// biome-ignore format: a row has two lines: the rule, and the tests that prove it
export const versioning = rowsOf([
  ['versioning.flows.path', 'The Flows API has the path prefix /v1.',
    ['test/plugins/flows/api.test.ts > creating a flow returns 201 with meta, a numeric id and no errors']],
  ['versioning.flows.meta', 'Responses of the Flows API have meta.version v1 and meta.api_status stable.',
    ['test/plugins/flows/api.test.ts > every response has meta, including errors of the kernel']],
  ['versioning.flow-json.creation', 'Creation requires Flow JSON 7.2 or higher.',
    ['test/plugins/flows/validate/validate-cases.test.ts > every invalid flow gets exactly the expected errors, with codes, paths and ranges', 'test/plugins/flows/validate/validate-cases.test.ts > valid flows have no errors'], { note: 'A version below 7.2 is a validation error: the flow is stored, but cannot be published. A version above 7.3 is checked by the rules of 7.3, with a hint.' }],
  ['versioning.flow-json.endpoints', 'Flows with endpoints require Flow JSON 3.0 or higher.',
    ['test/plugins/flows/life-cycle.test.ts > a flow with an endpoint can be published only with an application', 'test/plugins/flows/validate/validate-cases.test.ts > valid flows have no errors'], { note: 'Every version that can be published, 7.2 and higher, is above 3.0.' }],
  ['versioning.flow-message', 'The example has flow_message_version 3.',
    ['test/plugins/flows/life-cycle.test.ts > the status of a flow and the mode of the message decide whether it can be sent', 'test/plugins/messages/send.test.ts > an invalid message is refused with the errors of the network, and nothing is recorded']],
  ['versioning.integration', 'The integration context API has version 1.0.0-alpha in handshake and update, which may change.',
    ['test/plugins/integration/handshake.test.ts > creating an integration makes a signed handshake by POST, in the query and in the body', 'test/plugins/integration/handshake.test.ts > unknown, missing and duplicate parts of a handshake are ignored with warnings']],
  ['versioning.channel-payload', 'The payload to connectors has version 0.0.1-alpha.',
    ['test/plugins/journeys/interface-turns.test.ts > a payload has eight keys: the step of the message as it was written, and with its expressions evaluated']],
  ['versioning.simulation', 'The simulation API is not stable until at least August 2026, and its page says so.',
    ['test/spec/docs.test.ts > the simulation page says that its endpoint is not stable yet']],
  ['versioning.not-shown.policy', 'Not shown: the deprecation policy and version negotiation of `/v1`.',
    ['test/core/kernel/http/answers.test.ts > the API has one version, whatever a client says it accepts', 'test/core/kernel/http/bodies.test.ts > the content type of a JSON body is application/json or that of the vendor', 'test/plugins/messages/contacts.test.ts > a conversation is shown newest first, with its chat and the service\'s metadata'], { note: 'Nothing is deprecated today. `core/versioning.md` states the policy: an announcement, then at least one minor version and 90 days before removal. Posthorn negotiates no versions: it accepts the vendor media type and plain JSON alike, and responds with JSON whatever `Accept` says.' }],
]);
