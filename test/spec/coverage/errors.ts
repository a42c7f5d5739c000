import type { Row } from './row.js';

/** Errors, by area. */
export const errors: readonly Row[] = [
  {
    id: 'errors.flows.not-supported.status',
    rule: 'A number of a kind that cannot is answered 403.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > numbers that are not of the network are not supported'],
  },
  {
    id: 'errors.flows.not-supported.meta',
    rule: 'The 403 has meta.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > numbers that are not of the network are not supported'],
  },
  {
    id: 'errors.flows.not-supported.code',
    rule: 'The 403 has error.code not_supported.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > numbers that are not of the network are not supported'],
  },
  {
    id: 'errors.flows.not-supported.message',
    rule: 'The 403 has error.message.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > numbers that are not of the network are not supported'],
  },
  {
    id: 'errors.flows.not-supported.type',
    rule: 'The 403 has error.type NotSupported.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > numbers that are not of the network are not supported'],
  },
  {
    id: 'errors.flows.missing.status',
    rule: 'A missing flow_id is answered 400.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > a path whose flow_id is missing says so'],
  },
  {
    id: 'errors.flows.missing.code',
    rule: 'It has error.code missing_parameters.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > a path whose flow_id is missing says so'],
  },
  {
    id: 'errors.flows.missing.message',
    rule: 'Its error.message names flow_id.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > a path whose flow_id is missing says so'],
  },
  {
    id: 'errors.flows.missing.type',
    rule: 'It has error.type BadRequest.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > a path whose flow_id is missing says so'],
  },
  {
    id: 'errors.flows.not-found',
    rule: 'An unknown or inaccessible flow is answered 400 with errors of title Flow not found.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > a flow that does not exist, or is not of the account, is not found'],
  },
  {
    id: 'errors.flows.not-found.details',
    rule: 'It has details.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > a flow that does not exist, or is not of the account, is not found'],
  },
  {
    id: 'errors.flows.no-account',
    rule: 'A number without a business account is answered 400 with errors of title WABA not found.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > a number without a business account has no flows'],
  },
  {
    id: 'errors.flows.no-account.details',
    rule: 'It has details.',
    status: 'done',
    tests: ['test/plugins/flows/api.test.ts > a number without a business account has no flows'],
  },
  {
    id: 'errors.flows.status.code',
    rule: 'Publish, delete or deprecate in a wrong status is answered 400 with error.code 100, a number.',
    status: 'done',
    tests: [
      'test/plugins/flows/life-cycle.test.ts > every action from every status leads where the table says, and an invalid one changes nothing',
    ],
  },
  {
    id: 'errors.flows.status.title',
    rule: 'It has message and error_user_title Invalid Flow Status.',
    status: 'done',
    tests: [
      'test/plugins/flows/life-cycle.test.ts > every action from every status leads where the table says, and an invalid one changes nothing',
    ],
  },
  {
    id: 'errors.flows.status.type',
    rule: 'It has error_user_msg and type OAuthException.',
    status: 'done',
    tests: [
      'test/plugins/flows/life-cycle.test.ts > every action from every status leads where the table says, and an invalid one changes nothing',
    ],
  },
  {
    id: 'errors.flows.invalid.code',
    rule: 'A flow with validation errors is answered 400 with error.code 100 at publish.',
    status: 'done',
    tests: ['test/plugins/flows/life-cycle.test.ts > a flow with validation errors is not published'],
  },
  {
    id: 'errors.flows.invalid.message',
    rule: 'It has message Flow has validation errors.',
    status: 'done',
    tests: ['test/plugins/flows/life-cycle.test.ts > a flow with validation errors is not published'],
  },
  {
    id: 'errors.flows.invalid.title',
    rule: 'It has error_user_title Validation Failed.',
    status: 'done',
    tests: ['test/plugins/flows/life-cycle.test.ts > a flow with validation errors is not published'],
  },
  {
    id: 'errors.flows.invalid.type',
    rule: 'It has error_user_msg and type OAuthException.',
    status: 'done',
    tests: ['test/plugins/flows/life-cycle.test.ts > a flow with validation errors is not published'],
  },
  {
    id: 'errors.flows.upload',
    rule: 'An upload of an invalid definition is no error: 200 with validation_errors.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > an uploaded file replaces the definition, with errors or without, whatever else is in the body',
    ],
  },
  {
    id: 'errors.channels.message',
    rule: 'An invalid message or status is answered with message Bad Request.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
      'test/plugins/channel-statuses.test.ts > every field of a status is required, and checked',
    ],
  },
  {
    id: 'errors.channels.errors',
    rule: 'Its errors are keyed by contact, message or status, then by field.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a missing object is reported by its required fields, and all that is wrong is reported at once',
      'test/plugins/channel-statuses.test.ts > every field of a status is required, and checked',
    ],
  },
  {
    id: 'errors.channels.lists',
    rule: 'Each field has a list of texts.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'errors.channels.blank',
    rule: "A needed field that is missing gives can't be blank.",
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
      'test/plugins/channel-messages.test.ts > a missing object is reported by its required fields, and all that is wrong is reported at once',
      'test/plugins/channel-statuses.test.ts > every field of a status is required, and checked',
    ],
  },
  {
    id: 'errors.channels.invalid.id',
    rule: 'A wrong id of a status gives is invalid.',
    status: 'done',
    tests: ['test/plugins/channel-statuses.test.ts > an id that is not of a message this channel has sent is invalid'],
  },
  {
    id: 'errors.channels.invalid.status',
    rule: 'A wrong status gives is invalid.',
    status: 'done',
    tests: ['test/plugins/channel-statuses.test.ts > every field of a status is required, and checked'],
  },
  {
    id: 'errors.channels.invalid.recipient_id',
    rule: 'A wrong recipient_id gives is invalid.',
    status: 'done',
    tests: ['test/plugins/channel-statuses.test.ts > a recipient that the message did not go to is invalid'],
  },
  {
    id: 'errors.channels.not-shown.status',
    rule: 'Not shown: its HTTP status.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
    note: '400.',
  },
  {
    id: 'errors.simulation.id-required',
    rule: '400 simulation_id is required, when it is missing.',
    status: 'done',
    tests: ['test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface'],
  },
  {
    id: 'errors.simulation.id-length',
    rule: '400 simulation_id must be between 6 and 64 characters, for any other length.',
    status: 'done',
    tests: [
      'test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface',
      'test/plugins/simulation/refusals.test.ts > an id of 6 to 64 characters is taken, a UUID too',
    ],
  },
  {
    id: 'errors.simulation.journey-uuid',
    rule: '400 Invalid Journey UUID, when the one in the URL is none.',
    status: 'done',
    tests: ['test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface'],
  },
  {
    id: 'errors.simulation.no-production',
    rule: '400 Journey has no published production revision, when it has none.',
    status: 'done',
    tests: ['test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface'],
  },
  {
    id: 'errors.simulation.no-staging',
    rule: '400 Journey has no staging revision, when staging is asked for and there is none.',
    status: 'done',
    tests: [
      'test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface',
      'test/paths/simulation-turn.test.ts > what cannot be simulated is refused in the words of the interface',
    ],
  },
  {
    id: 'errors.simulation.disabled',
    rule: '400 Journey is disabled.',
    status: 'done',
    tests: [
      'test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface',
      'test/paths/simulation-turn.test.ts > what cannot be simulated is refused in the words of the interface',
    ],
  },
  {
    id: 'errors.simulation.deleted',
    rule: '400 Journey has been deleted.',
    status: 'done',
    tests: [
      'test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface',
      'test/paths/simulation-turn.test.ts > what cannot be simulated is refused in the words of the interface',
    ],
  },
  {
    id: 'errors.simulation.revision',
    rule: "400 Invalid revision, must be 'production' or 'staging'.",
    status: 'done',
    tests: [
      'test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface',
      'test/paths/simulation-turn.test.ts > what cannot be simulated is refused in the words of the interface',
    ],
  },
  {
    id: 'errors.simulation.parent',
    rule: '400 Invalid parent, must be an object.',
    status: 'done',
    tests: [
      'test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface',
      'test/paths/simulation-turn.test.ts > what cannot be simulated is refused in the words of the interface',
    ],
  },
  {
    id: 'errors.simulation.child',
    rule: '400 Invalid child, must be an object.',
    status: 'done',
    tests: [
      'test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface',
      'test/paths/simulation-turn.test.ts > what cannot be simulated is refused in the words of the interface',
    ],
  },
  {
    id: 'errors.simulation.input',
    rule: '400 Invalid input, must be a non-empty string: when it is empty.',
    status: 'done',
    tests: [
      'test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface',
      'test/plugins/simulation/interface.test.ts > input may be missing when a simulation begins, and never when it goes on',
    ],
  },
  {
    id: 'errors.simulation.input.type',
    rule: '400 Invalid input, must be a non-empty string: when it is no text.',
    status: 'done',
    tests: [
      'test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface',
      'test/plugins/simulation/interface.test.ts > input may be missing when a simulation begins, and never when it goes on',
    ],
  },
  {
    id: 'errors.simulation.http_mocks',
    rule: '400 Invalid http_mocks: ..., when a mock is malformed.',
    status: 'done',
    tests: [
      'test/plugins/simulation/http.test.ts > a mock that is malformed is refused with its position and its part, and nothing is begun',
    ],
  },
  {
    id: 'errors.simulation.http_mocks.names-part',
    rule: 'Its text names the part.',
    status: 'done',
    tests: [
      'test/plugins/simulation/http.test.ts > a mock that is malformed is refused with its position and its part, and nothing is begun',
      'test/plugins/simulation/mocks.test.ts > what is wrong with a mock is said with its position and its part',
    ],
  },
  {
    id: 'errors.simulation.journey-not-found',
    rule: '404 Journey not found, when no journey has the UUID.',
    status: 'done',
    tests: ['test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface'],
  },
  {
    id: 'errors.simulation.expired',
    rule: '404 Simulation not found or expired.',
    status: 'done',
    tests: [
      'test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface',
      'test/paths/simulation-turn.test.ts > after half an hour without a request a simulation is over',
      'test/plugins/simulation/interface.test.ts > a simulation that is over stays over; another id starts anew, and so does the same id with another journey',
    ],
  },
  {
    id: 'errors.webhooks.errors',
    rule: 'Errors of notifications have the list of the resource.',
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > a failure is told with code, title, details and href',
      'test/plugins/network/inbound.test.ts > a message with an error has errors, and others have none',
    ],
  },
  {
    id: 'errors.integration.not-shown.body',
    rule: 'Not shown: the body of errors of integration endpoints.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > the last good panel stays while a refresh fails, with a state of its own',
      'test/plugins/integration/actions.test.ts > an address that is none on the web, and an integration that fails, are states of the click; nothing is repeated',
    ],
    note: 'Only the status is read; the last good panel stays, and an action is not repeated.',
  },
];
