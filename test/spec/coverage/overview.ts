import { rowsOf } from './row.js';

/** The five areas that the overview of the interface summarizes. */
// biome-ignore format: a row has two lines: the rule, and the tests that prove it
export const overview = rowsOf([
  ['overview.flows', 'Clients create, update, publish, delete, deprecate, list and preview flows for the business account of the number.',
    ['test/plugins/flows/life-cycle.test.ts > every action in every status has the result of the table, and an invalid one changes nothing', 'test/plugins/flows/api.test.ts > the preview URL stays the same for 30 days, or until invalidate requests a new one', 'test/plugins/flows/list.test.ts > a list shows five fields per flow; endpoint_uri and application are returned on request']],
  ['overview.flows.operator', 'The network operator stores the flows; the platform forwards calls to it and returns its validation errors.',
    ['test/plugins/flows/life-cycle.test.ts > the local operator passes the contract suite of operators']],
  ['overview.flows.sent', 'A flow is sent to a customer in an interactive message of the message-sending endpoint.',
    ['test/plugins/flows/life-cycle.test.ts > the status of a flow and the mode of the message decide whether it can be sent']],
  ['overview.channels', 'A connector creates a channel, posts messages and statuses to the platform, and receives outbound messages on its own webhook.',
    ['test/paths/inbound-to-webhook.test.ts > a message reaches the journey, its reply the connector, and its status a webhook, all signed']],
  ['overview.webhooks', "The platform forwards inbound and sent messages, statuses, journey and channel messages to the owner's endpoint: signed, queued by priority and retried.",
    ['test/paths/inbound-to-webhook.test.ts > a message reaches the journey, its reply the connector, and its status a webhook, all signed', 'test/plugins/network/subscriptions.test.ts > every subscription fires for its events, on each kind of number, and for no others']],
  ['overview.integration', "The platform polls a customer's integration for context, suggested responses and actions of the open conversation, and stores nothing that it returns.",
    ['test/plugins/integration/panels.test.ts > a panel has objects in the order of the handshake, numbered lists, and suggestions by confidence', 'test/plugins/integration/storage.test.ts > nothing that an integration returns is stored: not in the data folder, in events or in the log']],
  ['overview.simulation', 'A client drives a journey turn by turn, and no real message is sent.',
    ['test/paths/simulation-turn.test.ts > a simulation starts, continues turn by turn, shows the journey\'s messages and sends nothing real', 'test/plugins/simulation/isolation.test.ts > a simulation during a live conversation of the same contact changes only its own records', 'test/plugins/simulation/http.test.ts > a mocked request gets its response, and is shown with all its fields']],
]);
