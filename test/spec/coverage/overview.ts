import { rowsOf } from './row.js';

/** The five areas, as the opening part of the interface sums them up. */
// biome-ignore format: a row takes two lines, the rule and the tests that show it
export const overview = rowsOf([
  ['overview.flows', 'Forms can be made, changed, published, removed, retired, listed and previewed for the business account of the number.',
    ['test/plugins/flows/life-cycle.test.ts > every action from every status leads where the table says, and an invalid one changes nothing', 'test/plugins/flows/api.test.ts > the address of a preview is kept for 30 days, or until another is asked for', 'test/plugins/flows/list.test.ts > a listed flow shows five fields; endpoint_uri and application are shown when they are asked for']],
  ['overview.flows.operator', 'The network operator keeps the definitions of forms; we pass calls on and return what its validation says.',
    ['test/plugins/flows/life-cycle.test.ts > the local operator keeps the contract of operators']],
  ['overview.flows.sent', 'A form reaches a customer inside an interactive message of the message-sending endpoint.',
    ['test/plugins/flows/life-cycle.test.ts > a flow is sent as its status and the mode of the message allow']],
  ['overview.channels', 'A connector makes a channel, posts messages and statuses to us, and is handed outbound messages on its own webhook.',
    ['test/paths/inbound-to-webhook.test.ts > a message goes to the journey, its answer to the connector, the status back to a webhook, all signed']],
  ['overview.webhooks', "Inbound and sent messages, statuses, journey and channel messages are forwarded to the owner's endpoint, signed, queued by priority and retried.",
    ['test/paths/inbound-to-webhook.test.ts > a message goes to the journey, its answer to the connector, the status back to a webhook, all signed', 'test/plugins/network/subscriptions.test.ts > every subscription fires for what it is for, on a number of each kind, and nowhere else']],
  ['overview.integration', "A customer's integration is polled for context, suggested replies and actions of the conversation on screen; nothing it returns is stored.",
    ['test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first', 'test/plugins/integration/storage.test.ts > nothing that an integration returns is kept: not in the folder, not in an event, not in a line of the log']],
  ['overview.simulation', 'A journey is driven turn by turn from outside, and no real message is sent.',
    ['test/paths/simulation-turn.test.ts > a simulation starts, goes on turn by turn and shows what the journey wrote, and nothing real is sent', 'test/plugins/simulation/isolation.test.ts > a simulation beside a live conversation of the same contact touches nothing but itself', 'test/plugins/simulation/http.test.ts > a mocked request is answered, and shown with all that is known of it']],
]);
