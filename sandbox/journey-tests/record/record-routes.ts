import {
  anyString,
  anyValue,
  array,
  boolean,
  Conflict,
  integer,
  NotFound,
  object,
  oneOf,
  operatorOf,
  type Route,
  record,
  route,
  string,
  stringUpTo,
} from '#core';
import type { JourneysContext } from '../../../plugins/journeys/plugin.js';
import type { TestDocument } from '../format/index.js';
import type { JourneyUnderTest } from '../run/journey-under-test.js';

const MAX_INPUTS = 500;
const MAX_INPUT = 65_536;
const MAX_FILE = 2 * 1024 * 1024;

const recordedSchema = object({
  /** A test file: YAML. */
  tests: anyString(),
  name: anyString(),
  journey: object({ uuid: string(), name: string() }),
  /** The made-up values, and how often each replaced personal data. */
  replaced: array(object({ kind: string(), by: string(), count: integer() })),
  /** Made-up answers of services, and messages that differ from those that were sent: the author should look at them. */
  notes: array(anyString()),
});

const ofConversation = object(
  { conversation: string().guid() },
  {
    name: stringUpTo(300),
    /** `keep`: as it is. By default made-up values replace names, numbers, addresses, places and files. */
    personal_data: oneOf('replace', 'keep'),
  },
);

const ofSimulation = object(
  { journey: string().guid(), inputs: array(stringUpTo(MAX_INPUT)).max(MAX_INPUTS) },
  {
    name: stringUpTo(300),
    revision: oneOf('production', 'staging', 'working'),
    contact: record(anyValue()),
    parent: record(anyValue()),
    child: record(anyValue()),
    http_mocks: array(anyValue()),
    /** The `http_answers` of all responses: they become mocks. */
    http_answers: array(
      object({ method: string(), url: string(), status: integer(), headers: record(anyString()), body: anyString().allow(null) }),
    ),
    /** Whether the first input is the message that started the journey; by default the journey starts without a message. */
    starts_with_input: boolean(),
    /** Time that passes before the input at a position, from 0; at the number of inputs, after the last one. */
    waits: array(object({ before: integer().min(0), ms: integer().min(1) })).max(MAX_INPUTS),
    /** Scripts that respond as the models of the simulation did, by connection as the journey names it. */
    models: record(object({ rules: array(record(anyValue())).max(MAX_INPUTS) })),
    /** A test file: `tests` of the response is this file with the test, in place of one of the same name. */
    add_to: stringUpTo(MAX_FILE),
  },
);

/** Writes conversations and simulations as tests. Nothing is sent to contacts or services. */
export const recordRoutes = (context: JourneysContext): Route[] => [
  route({
    method: 'POST',
    path: '/tests/recordings/conversation',
    permission: 'tests.run',
    morePermissions: ['messages.read_bodies'],
    recorded: ['conversation', 'personal_data'],
    summary: 'Writes the last session of a journey in a conversation as a test, with made-up values instead of personal data.',
    request: { payload: ofConversation },
    responses: { 200: recordedSchema },
    errors: [404, 409],
    async handler({ payload: { conversation, name, personal_data = 'replace' }, request }) {
      if (personal_data === 'keep') operatorOf(request).need('messages.read_bodies');
      const { NothingToRecord, recordConversation } = await import('./record-conversation.js');
      try {
        const { test, journey, replaced, notes } = await recordConversation(context, conversation, {
          keepsPersonalData: personal_data === 'keep',
          name,
          journeyOf: (uuid) => compiled(context, uuid, 'production'),
        });
        const text = await written({ journey: journey.name, revision: 'production', tests: [test] });
        return { tests: text, name: test.name, journey, replaced: replaced.map((one) => ({ ...one })), notes: [...notes] };
      } catch (error) {
        throw error instanceof NothingToRecord ? new Conflict('nothing_to_record', error.message) : error;
      }
    },
  }),
  route({
    method: 'POST',
    path: '/tests/recordings/simulation',
    permission: 'tests.run',
    summary: 'Writes a simulation as a test: the inputs of its requests, in order, with its mocks and its `http_answers`.',
    maxBytes: 2 * MAX_FILE,
    request: { payload: ofSimulation },
    responses: { 200: recordedSchema },
    errors: [404],
    async handler({ payload }) {
      const { recordSimulation } = await import('./record-simulation.js');
      const { journey: uuid, revision = 'production', add_to } = payload;
      const found = await context.journeys.get(uuid);
      if (!found || found.deleted_at !== null) throw new NotFound('journey', uuid);
      const { calledOnPlatform, readCalled } = await import('./called-journeys.js');
      const journey = await compiled(context, uuid, revision);
      const called = await readCalled(
        journey,
        calledOnPlatform(context, found.number, (id) => compiled(context, id, revision)),
      );
      const { test, notes } = await recordSimulation(context, found.number, journey, called, payload);
      const { addTest } = await import('../format/add-test.js');
      const text = add_to
        ? addTest(add_to, { ...test, journey: uuid, revision })
        : await written({ journey: found.name, revision, tests: [test] });
      return { tests: text, name: test.name, journey: { uuid, name: found.name }, replaced: [], notes: [...notes] };
    },
  }),
];

async function written(document: TestDocument): Promise<string> {
  const { writeTests } = await import('../format/index.js');
  return writeTests(document);
}

/** @throws Conflict when the journey has no such revision, or cannot be compiled */
async function compiled(
  { journeys }: JourneysContext,
  uuid: string,
  revision: 'production' | 'staging' | 'working',
): Promise<JourneyUnderTest> {
  const { compileJourney, JourneyUnusable } = await import('../run/journey-under-test.js');
  const journey = await journeys.require(uuid);
  const stored = revision === 'working' ? journey.draft : (journey.revisions[revision] ?? undefined);
  if (stored === undefined) throw new Conflict('nothing_to_record', `Journey '${journey.name}' has no ${revision} revision`);
  const { definition, notebook } = await journeys.revision(stored);
  try {
    return compileJourney(`${journey.name}.${notebook === undefined ? 'json' : 'md'}`, notebook ?? JSON.stringify(definition, null, 2));
  } catch (error) {
    throw error instanceof JourneyUnusable ? new Conflict('nothing_to_record', error.message) : error;
  }
}
