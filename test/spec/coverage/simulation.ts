import type { Row } from './row.js';

/** Resources: request and response of the journey simulation. */
export const simulation: readonly Row[] = [
  {
    id: 'simulation.request.simulation_id',
    rule: 'simulation_id is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface',
      'test/paths/simulation-turn.test.ts > what cannot be simulated is refused in the words of the interface',
    ],
  },
  {
    id: 'simulation.request.simulation_id.length',
    rule: 'simulation_id has 6 to 64 characters.',
    status: 'done',
    tests: [
      'test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface',
      'test/plugins/simulation/refusals.test.ts > an id of 6 to 64 characters is taken, a UUID too',
    ],
  },
  {
    id: 'simulation.request.simulation_id.chosen',
    rule: 'The caller chooses it; a UUID will do.',
    status: 'done',
    tests: ['test/plugins/simulation/refusals.test.ts > an id of 6 to 64 characters is taken, a UUID too'],
  },
  {
    id: 'simulation.request.revision',
    rule: 'revision is production or staging.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > the production revision runs, or staging if it is asked for',
      'test/paths/simulation-turn.test.ts > what cannot be simulated is refused in the words of the interface',
    ],
  },
  {
    id: 'simulation.request.revision.default',
    rule: 'revision is production if it is not given.',
    status: 'done',
    tests: ['test/plugins/simulation/interface.test.ts > the production revision runs, or staging if it is asked for'],
  },
  {
    id: 'simulation.request.contact',
    rule: 'contact holds attributes of the simulated contact.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > a simulated contact has the attributes of the request, and null clears a reserved field',
    ],
  },
  {
    id: 'simulation.request.contact.default',
    rule: 'contact is {} if it is not given.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > a simulated contact has the attributes of the request, and null clears a reserved field',
    ],
  },
  {
    id: 'simulation.request.contact.null',
    rule: 'A reserved field given as null is cleared.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > a simulated contact has the attributes of the request, and null clears a reserved field',
    ],
  },
  {
    id: 'simulation.request.parent',
    rule: 'parent is seen by the journey as @parent.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > a journey sees parent and child as they are given, but for the names that are reserved',
      'test/paths/simulation-turn.test.ts > what cannot be simulated is refused in the words of the interface',
    ],
  },
  {
    id: 'simulation.request.parent.reserved',
    rule: 'chat, contact, event, global, number and organisation in parent are ignored, and no other names.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > a journey sees parent and child as they are given, but for the names that are reserved',
    ],
  },
  {
    id: 'simulation.request.child',
    rule: 'child is seen by the journey as @child.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > a journey sees parent and child as they are given, but for the names that are reserved',
      'test/paths/simulation-turn.test.ts > what cannot be simulated is refused in the words of the interface',
    ],
  },
  {
    id: 'simulation.request.child.reserved',
    rule: 'chat, contact, event, global, number and organisation in child are ignored, and no other names.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > a journey sees parent and child as they are given, but for the names that are reserved',
    ],
  },
  {
    id: 'simulation.request.input.later',
    rule: 'input is needed, and not empty, for a simulation that exists.',
    status: 'done',
    tests: ['test/plugins/simulation/interface.test.ts > input may be missing when a simulation begins, and never when it goes on'],
  },
  {
    id: 'simulation.request.input.first',
    rule: 'input may be missing in the first request.',
    status: 'done',
    tests: ['test/plugins/simulation/interface.test.ts > input may be missing when a simulation begins, and never when it goes on'],
  },
  {
    id: 'simulation.request.input.opening',
    rule: "input in the first request is the contact's first message, and the answer has the opening and the reply to it.",
    status: 'done',
    tests: ['test/plugins/simulation/interface.test.ts > input may be missing when a simulation begins, and never when it goes on'],
  },
  {
    id: 'simulation.request.http_mocks',
    rule: 'http_mocks are fixed answers to HTTP requests of journey skills.',
    status: 'done',
    tests: ['test/plugins/simulation/http.test.ts > a mocked request is answered, and shown with all that is known of it'],
  },
  {
    id: 'simulation.request.http_mocks.default',
    rule: 'http_mocks is [] if it is not given.',
    status: 'done',
    tests: ['test/plugins/simulation/http.test.ts > without a mock a request goes out, unless it must not'],
  },
  {
    id: 'simulation.request.fail_unmocked.default',
    rule: 'fail_unmocked_http_calls is false if it is not given.',
    status: 'done',
    tests: ['test/plugins/simulation/http.test.ts > without a mock a request goes out, unless it must not'],
  },
  {
    id: 'simulation.request.fail_unmocked.true',
    rule: 'When it is true, a request that no mock answers fails inside the skill and does not go out.',
    status: 'done',
    tests: ['test/plugins/simulation/http.test.ts > without a mock a request goes out, unless it must not'],
  },
  {
    id: 'simulation.mock.method',
    rule: 'A mock may name a method.',
    status: 'done',
    tests: ['test/plugins/simulation/mocks.test.ts > a method counts when there is one, in capitals or not'],
  },
  {
    id: 'simulation.mock.url',
    rule: 'A mock has a url, a pattern.',
    status: 'done',
    tests: ['test/plugins/simulation/url-pattern.test.ts > a pattern matches as people expect'],
  },
  {
    id: 'simulation.mock.url.star',
    rule: 'In a pattern * matches anything.',
    status: 'done',
    tests: ['test/plugins/simulation/url-pattern.test.ts > a pattern matches as people expect'],
  },
  {
    id: 'simulation.mock.url.name',
    rule: 'In a pattern :name matches one segment of the path and appears in params of the call.',
    status: 'done',
    tests: [
      'test/plugins/simulation/url-pattern.test.ts > a pattern matches as people expect',
      'test/plugins/simulation/http.test.ts > a mocked request is answered, and shown with all that is known of it',
    ],
  },
  {
    id: 'simulation.mock.response.status',
    rule: 'response.status is 200 if it is not given.',
    status: 'done',
    tests: ['test/plugins/simulation/mocks.test.ts > an answer is 200 and empty unless it is said; an object is JSON, a text is as it is'],
  },
  {
    id: 'simulation.mock.response.body',
    rule: 'response.body is what the skill receives.',
    status: 'done',
    tests: [
      'test/plugins/simulation/mocks.test.ts > an answer is 200 and empty unless it is said; an object is JSON, a text is as it is',
      'test/plugins/simulation/http.test.ts > a mocked request is answered, and shown with all that is known of it',
    ],
  },
  {
    id: 'simulation.mock.response.body.object',
    rule: 'A body that is an object is sent as JSON.',
    status: 'done',
    tests: ['test/plugins/simulation/mocks.test.ts > an answer is 200 and empty unless it is said; an object is JSON, a text is as it is'],
  },
  {
    id: 'simulation.response.simulation_id',
    rule: 'The answer has the simulation_id.',
    status: 'done',
    tests: ['test/plugins/simulation/interface.test.ts > an answer has every field, and the fields of a turn speak of that turn alone'],
  },
  {
    id: 'simulation.response.state',
    rule: 'state is waiting_for_input or end.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > an answer has every field, and the fields of a turn speak of that turn alone',
      'test/plugins/simulation/interface.test.ts > a simulation that is over stays over; another id starts anew, and so does the same id with another journey',
    ],
  },
  {
    id: 'simulation.response.message',
    rule: 'message is what the journey says, as text.',
    status: 'done',
    tests: ['test/plugins/simulation/interface.test.ts > an answer has every field, and the fields of a turn speak of that turn alone'],
  },
  {
    id: 'simulation.response.message.options',
    rule: 'message lists buttons or rows one per line, with a hint for an AI agent that drives the simulation.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > an answer has every field, and the fields of a turn speak of that turn alone',
      'test/plugins/simulation/interface.test.ts > lists and media are told in words, one option on a line, media with their addresses',
    ],
  },
  {
    id: 'simulation.response.message.media',
    rule: 'message describes media as text with their URLs.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > lists and media are told in words, one option on a line, media with their addresses',
    ],
  },
  {
    id: 'simulation.response.card',
    rule: 'card is the name of the card the journey stands at after the turn.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > an answer has every field, and the fields of a turn speak of that turn alone',
      'test/paths/simulation-turn.test.ts > a first message answers the first question, and one answer carries both parts',
    ],
  },
  {
    id: 'simulation.response.options',
    rule: 'options are the labels of the buttons or rows offered in this turn.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > an answer has every field, and the fields of a turn speak of that turn alone',
      'test/plugins/simulation/interface.test.ts > lists and media are told in words, one option on a line, media with their addresses',
    ],
  },
  {
    id: 'simulation.response.skill_calls',
    rule: 'skill_calls are the skills that AI agents called in this turn, in order.',
    status: 'done',
    tests: [
      'test/plugins/journeys/agents.test.ts > AI calls of conversations are in the log, newest first; those of simulations are not',
      'test/plugins/simulation/interface.test.ts > an answer has every field, and the fields of a turn speak of that turn alone',
    ],
  },
  {
    id: 'simulation.response.skill_calls.fields',
    rule: 'Each has name, arguments and output.',
    status: 'done',
    tests: ['test/plugins/journeys/agents.test.ts > AI calls of conversations are in the log, newest first; those of simulations are not'],
  },
  {
    id: 'simulation.response.actions',
    rule: 'actions are the actions that AI agents routed to in this turn.',
    status: 'done',
    tests: [
      'test/plugins/journeys/agents.test.ts > AI calls of conversations are in the log, newest first; those of simulations are not',
      'test/plugins/simulation/interface.test.ts > an answer has every field, and the fields of a turn speak of that turn alone',
    ],
  },
  {
    id: 'simulation.response.actions.empty',
    rule: 'actions is empty when the agent went on talking.',
    status: 'done',
    tests: ['test/plugins/journeys/agents.test.ts > AI calls of conversations are in the log, newest first; those of simulations are not'],
  },
  {
    id: 'simulation.response.http_calls',
    rule: 'http_calls are the requests that skills made in this turn, mocked or not.',
    status: 'done',
    tests: ['test/plugins/simulation/http.test.ts > a mocked request is answered, and shown with all that is known of it'],
  },
  {
    id: 'simulation.response.http_calls.method',
    rule: 'A call has its method.',
    status: 'done',
    tests: ['test/plugins/simulation/http.test.ts > a mocked request is answered, and shown with all that is known of it'],
  },
  {
    id: 'simulation.response.http_calls.url',
    rule: 'A call has its url.',
    status: 'done',
    tests: ['test/plugins/simulation/http.test.ts > a mocked request is answered, and shown with all that is known of it'],
  },
  {
    id: 'simulation.response.http_calls.headers',
    rule: 'A call has its headers.',
    status: 'done',
    tests: ['test/plugins/simulation/http.test.ts > a mocked request is answered, and shown with all that is known of it'],
  },
  {
    id: 'simulation.response.http_calls.body',
    rule: 'A call has its body.',
    status: 'done',
    tests: ['test/plugins/simulation/http.test.ts > a mocked request is answered, and shown with all that is known of it'],
  },
  {
    id: 'simulation.response.http_calls.json',
    rule: 'A call has json, its body read as JSON where it is JSON.',
    status: 'done',
    tests: ['test/plugins/simulation/http.test.ts > a mocked request is answered, and shown with all that is known of it'],
  },
  {
    id: 'simulation.response.http_calls.query',
    rule: 'A call has its query.',
    status: 'done',
    tests: ['test/plugins/simulation/http.test.ts > a mocked request is answered, and shown with all that is known of it'],
  },
  {
    id: 'simulation.response.http_calls.params',
    rule: 'A call has params.',
    status: 'done',
    tests: ['test/plugins/simulation/http.test.ts > a mocked request is answered, and shown with all that is known of it'],
  },
  {
    id: 'simulation.response.http_calls.status',
    rule: 'A call has its status.',
    status: 'done',
    tests: ['test/plugins/simulation/http.test.ts > a mocked request is answered, and shown with all that is known of it'],
  },
  {
    id: 'simulation.response.http_calls.mocked',
    rule: 'A call says whether it was mocked.',
    status: 'done',
    tests: ['test/plugins/simulation/http.test.ts > a mocked request is answered, and shown with all that is known of it'],
  },
  {
    id: 'simulation.response.http_calls.failures',
    rule: 'A call has failures, a list.',
    status: 'done',
    tests: ['test/plugins/simulation/http.test.ts > a mocked request is answered, and shown with all that is known of it'],
  },
  {
    id: 'simulation.response.contact',
    rule: 'contact has the fields of the simulated contact and equals context.contact.',
    status: 'done',
    tests: ['test/plugins/simulation/interface.test.ts > an answer has every field, and the fields of a turn speak of that turn alone'],
  },
  {
    id: 'simulation.response.contact.written',
    rule: 'contact has what the journey wrote in this turn.',
    status: 'done',
    tests: ['test/plugins/simulation/interface.test.ts > an answer has every field, and the fields of a turn speak of that turn alone'],
  },
  {
    id: 'simulation.response.context',
    rule: 'context is returned in every turn.',
    status: 'done',
    tests: ['test/plugins/simulation/interface.test.ts > an answer has every field, and the fields of a turn speak of that turn alone'],
  },
  {
    id: 'simulation.response.context.variables',
    rule: "context has the contact's fields and the variables that the journey set.",
    status: 'done',
    tests: ['test/plugins/simulation/interface.test.ts > an answer has every field, and the fields of a turn speak of that turn alone'],
  },
  {
    id: 'simulation.response.context.no-token',
    rule: "AI connections inside context leave out the vendor's token.",
    status: 'done',
    tests: [
      'test/plugins/journeys/agents.test.ts > a simulation shows AI connections without the token of the vendor',
      'test/plugins/journeys/agents.test.ts > the token of a vendor is in no byte that leaves the process but the call itself',
    ],
  },
  {
    id: 'simulation.response.not-every-field',
    rule: 'A response need not have every field.',
    status: 'done',
    tests: ['test/plugins/simulation/interface.test.ts > an answer has every field, and the fields of a turn speak of that turn alone'],
    note: 'Every field is there, always.',
  },
];
