import { rowsOf } from './row.js';

/** Versioning. */
// biome-ignore format: a row takes two lines, the rule and the tests that show it
export const versioning = rowsOf([
  ['versioning.flows.path', 'The Flows API stands under /v1.',
    ['test/plugins/flows/api.test.ts > a created flow is answered with 201, meta, an id of digits and no errors']],
  ['versioning.flows.meta', 'Its answers carry meta.version v1 and meta.api_status stable.',
    ['test/plugins/flows/api.test.ts > meta is in every answer, also in those of the kernel']],
  ['versioning.flow-json.creation', 'Flow JSON 7.2 or higher is needed at creation.',
    ['test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges', 'test/plugins/flows/validate-cases.test.ts > flows that are sound have no errors'], { note: 'A lower version is the one error of the flow: it is taken and cannot be published. A version above 7.3 is checked by the rules of 7.3, with a hint.' }],
  ['versioning.flow-json.endpoints', 'Flows with endpoints need Flow JSON 3.0 or higher.',
    ['test/plugins/flows/life-cycle.test.ts > a flow with an endpoint is published when it has an application', 'test/plugins/flows/validate-cases.test.ts > flows that are sound have no errors'], { note: 'Every version that is taken, 7.2 and higher, is above 3.0.' }],
  ['versioning.flow-message', 'flow_message_version 3 is the version of the example.',
    ['test/plugins/flows/life-cycle.test.ts > a flow is sent as its status and the mode of the message allow', 'test/plugins/messages/send.test.ts > what does not fit is refused with the errors of the network, and nothing of it is recorded']],
  ['versioning.integration', 'The integration context API has version 1.0.0-alpha in handshake and update, and may change.',
    ['test/plugins/integration/handshake.test.ts > an integration is greeted when it is made: by POST, in the query and in the body, signed', 'test/plugins/integration/handshake.test.ts > what a handshake says too much, too little or twice is passed over']],
  ['versioning.channel-payload', 'The payload to connectors has version 0.0.1-alpha.',
    ['test/plugins/interface-turns.test.ts > a payload has eight keys: the step behind the message as it was written, and with its expressions worked out']],
  ['versioning.simulation', 'The simulation API is not stable until August 2026 at least; users are told.',
    ['test/spec/docs.test.ts > what is not stable is said where it is described']],
  ['versioning.not-shown.policy', 'Not shown: deprecation and version negotiation of /v1.',
    ['test/core/kernel/answers.test.ts > there is one version of the API, whatever a client says it accepts', 'test/core/kernel/bodies.test.ts > a body is JSON by its name: plain, or of the vendor', 'test/plugins/messages/contacts.test.ts > a conversation is shown newest first, with its chat and what the service adds'], { note: 'Nothing is negotiated or deprecated: the vendor type and plain JSON are taken alike, answers are JSON whatever Accept says.' }],
]);
