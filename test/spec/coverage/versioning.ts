import type { Row } from './row.js';

/** Versioning. */
export const versioning: readonly Row[] = [
  { id: 'versioning.flows.path', rule: 'The Flows API stands under /v1.', status: 'absent' },
  { id: 'versioning.flows.meta', rule: 'Its answers carry meta.version v1 and meta.api_status stable.', status: 'absent' },
  { id: 'versioning.flow-json.creation', rule: 'Flow JSON 7.2 or higher is needed at creation.', status: 'absent' },
  { id: 'versioning.flow-json.endpoints', rule: 'Flows with endpoints need Flow JSON 3.0 or higher.', status: 'absent' },
  { id: 'versioning.flow-message', rule: 'flow_message_version 3 is the version of the example.', status: 'absent' },
  {
    id: 'versioning.integration',
    rule: 'The integration context API has version 1.0.0-alpha in handshake and update, and may change.',
    status: 'done',
    tests: [
      'test/plugins/integration/handshake.test.ts > an integration is greeted when it is made: by POST, in the query and in the body, signed',
      'test/plugins/integration/handshake.test.ts > what a handshake says too much, too little or twice is passed over',
    ],
  },
  {
    id: 'versioning.channel-payload',
    rule: 'The payload to connectors has version 0.0.1-alpha.',
    status: 'done',
    tests: [
      'test/plugins/interface-turns.test.ts > a payload has eight keys: the step behind the message as it was written, and with its expressions worked out',
    ],
  },
  { id: 'versioning.simulation', rule: 'The simulation API is not stable until August 2026 at least; users are told.', status: 'absent' },
  { id: 'versioning.not-shown.policy', rule: 'Not shown: deprecation and version negotiation of /v1.', status: 'absent' },
];
