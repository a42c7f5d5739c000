import type { Row } from './row.js';

/** Endpoints: journey simulation. */
export const endpointsSimulation: readonly Row[] = [
  {
    id: 'endpoints.simulation',
    rule: 'POST /v1/journeys/<journey_uuid>/simulation starts a session and takes input, one route for both.',
    status: 'done',
    route: 'POST /v1/journeys/:journey_uuid/simulation',
    tests: [
      'test/paths/simulation-turn.test.ts > a simulation starts, goes on turn by turn and shows what the journey wrote, and nothing real is sent',
    ],
  },
  {
    id: 'endpoints.simulation.not-shown.older-path',
    rule: 'Not shown: POST /v1/stacks/:uuid/simulation, the path of older clients, is the same endpoint.',
    status: 'done',
    route: 'POST /v1/stacks/:uuid/simulation',
    note: 'It answers as the other one does; a simulation goes on by either path.',
    tests: ['test/plugins/simulation/interface.test.ts > the path of older clients leads to the same simulations'],
  },
  {
    id: 'endpoints.simulation.rule-1',
    rule: 'Rule 1: where number, journey and simulation_id have no simulation, one is made and the journey starts.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > a simulation that is over stays over; another id starts anew, and so does the same id with another journey',
    ],
  },
  {
    id: 'endpoints.simulation.rule-2',
    rule: 'Rule 2: where they have one, input goes to it.',
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > input may be missing when a simulation begins, and never when it goes on',
      'test/paths/simulation-turn.test.ts > a simulation starts, goes on turn by turn and shows what the journey wrote, and nothing real is sent',
    ],
  },
  {
    id: 'endpoints.simulation.rule-2.non-empty',
    rule: 'Rule 2: that input must be a non-empty text.',
    status: 'done',
    tests: ['test/plugins/simulation/interface.test.ts > input may be missing when a simulation begins, and never when it goes on'],
  },
  {
    id: 'endpoints.simulation.rule-3',
    rule: "Rule 3: the same simulation_id with another number's token never reaches the session.",
    status: 'done',
    tests: ["test/paths/simulation-turn.test.ts > another number's token never reaches a simulation, nor the journey"],
  },
  {
    id: 'endpoints.simulation.rule-4.order',
    rule: 'Rule 4: mocks are tried in the order of the list, one request each.',
    status: 'done',
    tests: [
      'test/plugins/simulation/mocks.test.ts > one request per mock, in their order; the last that matches goes on answering',
      'test/plugins/simulation/http.test.ts > mocks are a row: one request each, the last goes on; those of a later request are appended',
    ],
  },
  {
    id: 'endpoints.simulation.rule-4.last-repeats',
    rule: 'Rule 4: when the list is used up the last mock that fits answers again.',
    status: 'done',
    tests: [
      'test/plugins/simulation/mocks.test.ts > one request per mock, in their order; the last that matches goes on answering',
      'test/plugins/simulation/http.test.ts > mocks are a row: one request each, the last goes on; those of a later request are appended',
    ],
  },
  {
    id: 'endpoints.simulation.rule-5.goes-out',
    rule: 'Rule 5: a request without a mock goes out and is listed with mocked false.',
    status: 'done',
    tests: ['test/plugins/simulation/http.test.ts > without a mock a request goes out, unless it must not'],
  },
  {
    id: 'endpoints.simulation.rule-5.fails',
    rule: 'Rule 5: with fail_unmocked_http_calls it fails inside the skill, and failures says why.',
    status: 'done',
    tests: ['test/plugins/simulation/http.test.ts > without a mock a request goes out, unless it must not'],
  },
  {
    id: 'endpoints.simulation.rule-6',
    rule: 'Rule 6: mocks of a later request are appended.',
    status: 'done',
    tests: [
      'test/plugins/simulation/http.test.ts > mocks are a row: one request each, the last goes on; those of a later request are appended',
    ],
  },
  {
    id: 'endpoints.simulation.rule-7.nothing-sent',
    rule: 'Rule 7: no real message is sent.',
    status: 'done',
    tests: ['test/plugins/simulation/interface.test.ts > a simulation sends nothing, announces nothing and records nobody'],
  },
  {
    id: 'endpoints.simulation.rule-7.ai-logs',
    rule: 'Rule 7: AI calls of a simulation are in no AI log.',
    status: 'done',
    tests: ['test/plugins/journeys/agents.test.ts > AI calls of conversations are in the log, newest first; those of simulations are not'],
  },
  {
    id: 'endpoints.simulation.rule-7.ai-memory',
    rule: 'Rule 7: AI agents with memory remember from turn to turn.',
    status: 'done',
    tests: ['test/plugins/journeys/agents.test.ts > AI calls of conversations are in the log, newest first; those of simulations are not'],
  },
  {
    id: 'endpoints.simulation.rule-8',
    rule: 'Rule 8: contact fields that the journey writes are in context in that turn.',
    status: 'done',
    tests: ['test/plugins/simulation/interface.test.ts > an answer has every field, and the fields of a turn speak of that turn alone'],
  },
];
