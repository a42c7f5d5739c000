import { type Check, CheckSkipped, expect } from '../check.js';
import { type Api, answer, type Call, type CallCheck, calls, type Json, shown } from './api.js';

const SECTION = 'Resources, journey simulation';
const ERRORS = 'Errors, journey simulation';
const STATES = ['waiting_for_input', 'end'];
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

const simulation = (api: Api, payload: object, journey = api.journey ?? UNKNOWN): Call => ({
  path: `/v1/journeys/${journey}/simulation`,
  payload: { simulation_id: api.name(), ...payload },
});
/** The first turn of a simulation that checks share. */
const first = (api: Api): Promise<{ id: string; json: Json }> =>
  api.once('simulation', async () => {
    const id = api.name();
    const contact = { name: 'Conformance', language: 'eng' };
    const json = answer(await api.call(simulation(api, { simulation_id: id, contact })), 2) ?? {};
    return { id, json };
  });
/** Starts another simulation. @returns its id @throws CheckSkipped unless it waits for input */
const waiting = async (api: Api): Promise<string> => {
  const id = api.name();
  const json = answer(await api.call(simulation(api, { simulation_id: id })), 2) ?? {};
  if (json.state !== 'waiting_for_input') throw new CheckSkipped('the journey does not wait for input');
  return id;
};

/** A check of the error of a request; the text must be in the body. */
const refuses = (id: string, error: string, title: string, call: (api: Api) => Call | Promise<Call>, more: Partial<CallCheck> = {}) =>
  calls({
    id,
    section: ERRORS,
    title: `refuses ${title}`,
    call,
    status: [400],
    needs: ['journey', 'A-64'],
    fix: `Respond 400 with the text '${error}'.`,
    body: `the text '${error}'`,
    is: (json) => JSON.stringify(json).includes(error),
    ...more,
  });

/** A check of the first turn. */
const shows = (id: string, title: string, fix: string, expected: string, is: (json: Json, id: string) => boolean): Check<Api> => ({
  id,
  title,
  fix,
  level: 'MUST',
  section: SECTION,
  sends: 'the start of a simulation',
  needs: ['journey', 'A-64'],
  async run(api) {
    const { id, json } = await first(api);
    expect(is(json, id), expected, () => shown(json));
  },
});

const texts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string');

export const simulationChecks: readonly Check<Api>[] = [
  {
    id: 'A-64',
    level: 'MUST',
    section: SECTION,
    title: 'starts a simulation',
    sends: 'the start of a simulation',
    needs: ['journey', 'A-01'],
    fix: 'Respond 200 to a request with an unseen simulation_id, with state waiting_for_input or end.',
    async run(api) {
      const { json } = await first(api);
      expect(STATES.includes(json.state), `state ${STATES.join(' or ')}`, shown(json.state));
    },
  },
  shows(
    'A-65',
    'returns the id of the simulation',
    'Return simulation_id as the request has it.',
    'the simulation_id',
    (json, id) => json.simulation_id === id,
  ),
  shows(
    'A-66',
    'returns the text of the turn',
    'Return message, the text output of the turn.',
    'a text message',
    ({ message }) => typeof message === 'string',
  ),
  shows(
    'A-67',
    'returns the context with the fields of the contact',
    'Return context with contact, which has the fields of the request and those that the journey wrote.',
    "context.contact with the name 'Conformance'",
    ({ context }) => context?.contact?.name === 'Conformance',
  ),
  shows(
    'A-68',
    'returns options and actions as arrays of texts',
    'Return the labels of buttons or rows as options, and the actions of agents as actions; leave them out or return [] without any.',
    'arrays of texts in options and actions',
    ({ options = [], actions = [] }) => texts(options) && texts(actions),
  ),
  shows(
    'A-69',
    'returns skill calls and HTTP calls as arrays',
    'Return skill_calls and http_calls as arrays; leave them out or return [] without any.',
    'arrays in skill_calls and http_calls',
    ({ skill_calls: skills = [], http_calls: requests = [] }) => Array.isArray(skills) && Array.isArray(requests),
  ),
  {
    id: 'A-70',
    level: 'MUST',
    section: 'States, journey simulation session',
    title: 'continues a simulation with input',
    sends: 'the start of a simulation and a reply',
    needs: ['journey', 'A-64'],
    fix: 'Pass input to the session of the same number, journey and simulation_id, and respond with its next turn.',
    async run(api) {
      const json = answer(await api.call(simulation(api, { simulation_id: await waiting(api), input: 'hi' })), 2) ?? {};
      expect(STATES.includes(json.state), `state ${STATES.join(' or ')}`, shown(json.state));
    },
  },
  calls({
    id: 'A-71',
    section: 'Endpoints, journey simulation, 2',
    title: 'takes input on the first request',
    needs: ['journey', 'A-64'],
    fix: 'Process input of the first request as the first message of the contact, and return the opening and the reply together.',
    call: (api) => simulation(api, { input: 'hi' }),
    status: [2],
    body: `state ${STATES.join(' or ')}`,
    is: ({ state }) => STATES.includes(state),
  }),
  ...([6, 64] as const).map((length, i) =>
    calls({
      id: `A-${72 + i}`,
      section: 'Limits, simulation identifier length',
      title: `takes a simulation_id of ${length} characters`,
      needs: ['journey', 'A-64'],
      fix: 'Accept a simulation_id of 6 to 64 characters.',
      call: (api) => simulation(api, { simulation_id: `${api.name().slice(-6)}${'x'.repeat(64)}`.slice(0, length) }),
      status: [2],
    }),
  ),
  refuses('A-74', 'simulation_id is required', 'a request without simulation_id', (api) => simulation(api, { simulation_id: undefined })),
  refuses('A-75', 'simulation_id must be between 6 and 64 characters', 'a simulation_id of 5 characters', (api) =>
    simulation(api, { simulation_id: 'short' }),
  ),
  refuses('A-76', 'simulation_id must be between 6 and 64 characters', 'a simulation_id of 65 characters', (api) =>
    simulation(api, { simulation_id: 'x'.repeat(65) }),
  ),
  refuses('A-77', 'Invalid Journey UUID', 'a path that is not a UUID', (api) => simulation(api, {}, 'not-a-uuid')),
  refuses('A-78', 'Journey not found', 'an unknown journey', (api) => simulation(api, {}, UNKNOWN), {
    status: [404],
    fix: "Respond 404 with the text 'Journey not found'.",
  }),
  refuses('A-79', "Invalid revision, must be 'production' or 'staging'", 'an unknown revision', (api) =>
    simulation(api, { revision: 'draft' }),
  ),
  refuses('A-80', 'Invalid parent, must be an object', 'a parent that is not an object', (api) => simulation(api, { parent: 'p' })),
  refuses('A-81', 'Invalid child, must be an object', 'a child that is not an object', (api) => simulation(api, { child: 'c' })),
  refuses('A-82', 'Invalid input, must be a non-empty string', 'an empty input', (api) => simulation(api, { input: '' })),
  refuses('A-83', 'Invalid http_mocks: ', 'a mock without a URL', (api) => simulation(api, { http_mocks: [{ response: {} }] })),
  refuses('A-84', 'Invalid input, must be a non-empty string', 'a reply without input', async (api) =>
    simulation(api, { simulation_id: await waiting(api) }),
  ),
];
