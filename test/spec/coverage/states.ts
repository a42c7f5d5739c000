import type { Row } from './row.js';

/** States and transitions. */
export const states: readonly Row[] = [
  {
    id: 'states.flow.draft',
    rule: 'A DRAFT can be edited or deleted.',
    status: 'done',
    tests: [
      'test/plugins/flows/life-cycle.test.ts > every action from every status leads where the table says, and an invalid one changes nothing',
    ],
  },
  {
    id: 'states.flow.published',
    rule: 'A PUBLISHED flow can be used to send messages.',
    status: 'done',
    tests: ['test/plugins/flows/life-cycle.test.ts > a flow is sent as its status and the mode of the message allow'],
  },
  {
    id: 'states.flow.deprecated',
    rule: 'A DEPRECATED flow is still listed, and cannot be used to send.',
    status: 'done',
    tests: [
      'test/plugins/flows/life-cycle.test.ts > a flow is sent as its status and the mode of the message allow',
      'test/plugins/flows/life-cycle.test.ts > every action from every status leads where the table says, and an invalid one changes nothing',
    ],
  },
  {
    id: 'states.flow.throttled',
    rule: 'A THROTTLED flow is limited to 10 messages an hour.',
    status: 'done',
    tests: ['test/plugins/flows/life-cycle.test.ts > a throttled flow is sent ten times within any hour'],
  },
  {
    id: 'states.flow.blocked',
    rule: 'A BLOCKED flow is blocked.',
    status: 'done',
    tests: ['test/plugins/flows/life-cycle.test.ts > a flow is sent as its status and the mode of the message allow'],
  },
  {
    id: 'states.flow.create-draft',
    rule: 'Creation without publish, or with false, makes a DRAFT.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > publish is false if not given; with it a sound flow is published at once'],
  },
  {
    id: 'states.flow.create-draft.errors',
    rule: 'It answers 201 with id and with validation errors, if any.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > flow_json is an object or JSON as text; an object is measured as it is usually written'],
  },
  {
    id: 'states.flow.create-published',
    rule: 'Creation with publish true makes a PUBLISHED flow at once.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > publish is false if not given; with it a sound flow is published at once'],
  },
  {
    id: 'states.flow.publish',
    rule: 'Publishing a DRAFT makes it PUBLISHED, usable at once.',
    status: 'done',
    tests: [
      'test/plugins/flows/life-cycle.test.ts > every action from every status leads where the table says, and an invalid one changes nothing',
    ],
  },
  {
    id: 'states.flow.delete',
    rule: 'Deleting a DRAFT removes it.',
    status: 'done',
    tests: [
      'test/plugins/flows/life-cycle.test.ts > every action from every status leads where the table says, and an invalid one changes nothing',
    ],
  },
  {
    id: 'states.flow.deprecate',
    rule: 'Deprecating a PUBLISHED flow makes it DEPRECATED: it stays in history and cannot send.',
    status: 'done',
    tests: [
      'test/plugins/flows/life-cycle.test.ts > every action from every status leads where the table says, and an invalid one changes nothing',
      'test/plugins/flows/life-cycle.test.ts > a flow is sent as its status and the mode of the message allow',
    ],
  },
  {
    id: 'states.flow.published-fixed',
    rule: 'A PUBLISHED flow can be neither edited nor deleted.',
    status: 'done',
    tests: ['test/plugins/flows/life-cycle.test.ts > a published flow can be neither edited nor deleted'],
  },
  {
    id: 'states.flow.wrong-status',
    rule: 'Publish and delete outside DRAFT, and deprecate from an unfit status, change nothing and answer the 400 for an invalid status.',
    status: 'done',
    tests: [
      'test/plugins/flows/life-cycle.test.ts > every action from every status leads where the table says, and an invalid one changes nothing',
    ],
  },
  {
    id: 'states.flow.not-shown.health',
    rule: 'Not shown: how flows get into and out of THROTTLED and BLOCKED.',
    status: 'done',
    tests: ['test/plugins/flows/life-cycle.test.ts > the admin API throttles and blocks published flows, and back'],
    note: 'Only the health of an endpoint moves them on the network, and none is called here: POST /admin/v1/flows/{id}/health does.',
  },
  {
    id: 'states.delivery.sent',
    rule: 'sent: the server received the message.',
    status: 'done',
    tests: ['test/plugins/channel-statuses.test.ts > a status is recorded on the message it names'],
  },
  {
    id: 'states.delivery.delivered',
    rule: "delivered: the user's device received it.",
    status: 'done',
    tests: ['test/plugins/channel-statuses.test.ts > a status is recorded on the message it names'],
  },
  {
    id: 'states.delivery.read',
    rule: 'read: the user read it.',
    status: 'done',
    tests: ['test/plugins/channel-statuses.test.ts > a status is recorded on the message it names'],
  },
  {
    id: 'states.delivery.read.receipts',
    rule: 'Users without read receipts leave it at delivered.',
    status: 'done',
    tests: [
      'test/paths/inbound-to-webhook.test.ts > a message goes to the journey, its answer to the connector, the status back to a webhook, all signed',
    ],
  },
  {
    id: 'states.delivery.failed',
    rule: 'failed: it was not sent.',
    status: 'done',
    tests: ['test/plugins/channel-statuses.test.ts > a message that fails says so'],
  },
  {
    id: 'states.delivery.read-implies-delivered',
    rule: 'A message that is read was delivered before.',
    status: 'done',
    tests: ['test/core/messaging/status.test.ts > which report stands when one more comes'],
  },
  {
    id: 'states.delivery.delivered-dropped',
    rule: 'When both happen almost at once the delivered notification is dropped, as read implies it.',
    status: 'done',
    tests: [
      'test/core/messaging/status.test.ts > which report stands when one more comes',
      'test/plugins/network/network.test.ts > what is read at once is not reported as delivered, as that is implied',
    ],
  },
  {
    id: 'states.delivery.timestamp-decides',
    rule: 'Notifications may arrive in another order; their timestamps decide.',
    status: 'done',
    tests: [
      'test/core/messaging/status.test.ts > which report stands when one more comes',
      'test/plugins/channel-statuses.test.ts > a status that arrives late does not undo a later one, but webhooks hear of it',
    ],
  },
  {
    id: 'states.simulation.waiting_for_input',
    rule: 'A simulation that waits is in waiting_for_input.',
    status: 'done',
    tests: ['test/plugins/simulation/interface.test.ts > an answer has every field, and the fields of a turn speak of that turn alone'],
  },
  {
    id: 'states.simulation.end',
    rule: 'A simulation whose journey is over is in end.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > a simulation that is over stays over; another id starts anew, and so does the same id with another journey',
      'test/plugins/simulation/interface.test.ts > an answer has every field, and the fields of a turn speak of that turn alone',
    ],
  },
  {
    id: 'states.simulation.start',
    rule: 'A request with an unseen simulation_id for the number and journey creates a session and starts the journey.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > a simulation that is over stays over; another id starts anew, and so does the same id with another journey',
      'test/paths/simulation-turn.test.ts > a simulation starts, goes on turn by turn and shows what the journey wrote, and nothing real is sent',
    ],
  },
  {
    id: 'states.simulation.start.with-input',
    rule: 'With input the first message is processed too.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > input may be missing when a simulation begins, and never when it goes on',
      'test/paths/simulation-turn.test.ts > a first message answers the first question, and one answer carries both parts',
    ],
  },
  {
    id: 'states.simulation.continue',
    rule: 'A request with the same id and a non-empty input goes to the session, which waits again or ends.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > input may be missing when a simulation begins, and never when it goes on',
      'test/paths/simulation-turn.test.ts > a simulation starts, goes on turn by turn and shows what the journey wrote, and nothing real is sent',
    ],
  },
  {
    id: 'states.simulation.continue.mocks',
    rule: 'New http_mocks are appended to those of the session.',
    status: 'done',
    tests: [
      'test/plugins/simulation/http.test.ts > mocks are a row: one request each, the last goes on; those of a later request are appended',
    ],
  },
  {
    id: 'states.simulation.expired',
    rule: 'A session idle too long expires; later requests get the 404, another simulation_id starts anew.',
    status: 'done',
    tests: [
      'test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface',
      'test/paths/simulation-turn.test.ts > after half an hour without a request a simulation is over',
      'test/plugins/simulation/interface.test.ts > a simulation that is over stays over; another id starts anew, and so does the same id with another journey',
    ],
  },
  {
    id: 'states.parked.five-minutes',
    rule: 'A journey that waits for the user is kept for 5 minutes.',
    status: 'done',
    tests: ['test/plugins/interface-parked.test.ts > a journey that does not say how long it waits for a reply waits five minutes'],
  },
  {
    id: 'states.parked.interaction_timeout',
    rule: 'interaction_timeout of a journey sets another time.',
    status: 'done',
    tests: ['test/plugins/journeys-waits.test.ts > a journey waits five minutes for a reply, or as long as it says'],
  },
  {
    id: 'states.parked.relink',
    rule: 'After expiry a reply that carries context.id is linked back to the journey.',
    status: 'done',
    tests: ['test/plugins/journeys-waits.test.ts > a late reply that names what it replies to goes on from there'],
  },
  {
    id: 'states.parked.no-relink',
    rule: 'After expiry a reply without context.id is not linked back.',
    status: 'done',
    tests: [
      'test/plugins/journeys-waits.test.ts > a journey waits five minutes for a reply, or as long as it says',
      'test/plugins/journeys-waits.test.ts > a late reply finds no way back to what asked somebody else, asked nothing, or is not there any more',
    ],
  },
];
