import { rowsOf } from './row.js';

/** Versioning. */
// biome-ignore format: a row takes two lines, the rule and the tests that show it
export const versioning = rowsOf([
  ['versioning.flows.path', 'The Flows API stands under /v1.',
    ['test/plugins/flows/api.test.ts > creating a flow returns 201 with meta, a numeric id and no errors']],
  ['versioning.flows.meta', 'Its answers carry meta.version v1 and meta.api_status stable.',
    ['test/plugins/flows/api.test.ts > every response has meta, including errors of the kernel']],
  ['versioning.flow-json.creation', 'Flow JSON 7.2 or higher is needed at creation.',
    ['test/plugins/flows/validate-cases.test.ts > every invalid flow gets exactly the expected errors, with codes, paths and ranges', 'test/plugins/flows/validate-cases.test.ts > valid flows have no errors'], { note: 'A lower version is the one error of the flow: it is taken and cannot be published. A version above 7.3 is checked by the rules of 7.3, with a hint.' }],
  ['versioning.flow-json.endpoints', 'Flows with endpoints need Flow JSON 3.0 or higher.',
    ['test/plugins/flows/life-cycle.test.ts > a flow with an endpoint can be published only with an application', 'test/plugins/flows/validate-cases.test.ts > valid flows have no errors'], { note: 'Every version that is taken, 7.2 and higher, is above 3.0.' }],
  ['versioning.flow-message', 'flow_message_version 3 is the version of the example.',
    ['test/plugins/flows/life-cycle.test.ts > the status of a flow and the mode of the message decide whether it can be sent', 'test/plugins/messages/send.test.ts > an invalid message is refused with the errors of the network, and nothing is recorded']],
  ['versioning.integration', 'The integration context API has version 1.0.0-alpha in handshake and update, and may change.',
    ['test/plugins/integration/handshake.test.ts > creating an integration makes a signed handshake by POST, in the query and in the body', 'test/plugins/integration/handshake.test.ts > unknown, missing and duplicate parts of a handshake are ignored with warnings']],
  ['versioning.channel-payload', 'The payload to connectors has version 0.0.1-alpha.',
    ['test/plugins/interface-turns.test.ts > a payload has eight keys: the step of the message as it was written, and with its expressions evaluated']],
  ['versioning.simulation', 'The simulation API is not stable until August 2026 at least; users are told.',
    ['test/spec/docs.test.ts > the simulation page says that its endpoint is not stable yet']],
  ['versioning.not-shown.policy', 'Not shown: deprecation and version negotiation of /v1.',
    ['test/core/kernel/answers.test.ts > the API has one version, whatever a client says it accepts', 'test/core/kernel/bodies.test.ts > the content type of a JSON body is application/json or that of the vendor', 'test/plugins/messages/contacts.test.ts > a conversation is shown newest first, with its chat and the service\'s metadata'], { note: 'Nothing is negotiated or deprecated: the vendor type and plain JSON are taken alike, answers are JSON whatever Accept says.' }],
]);
