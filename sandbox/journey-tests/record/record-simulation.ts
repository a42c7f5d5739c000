import { InvalidRequest, type Json, type JsonObject } from '#core';
import type { JourneysContext } from '../../../plugins/journeys/plugin.js';
import { readMocks } from '../../../plugins/simulation/mocks/mocks.js';
import type { StubOptions } from '../explore/stubs.js';
import type { JourneyUnderTest } from '../run/journey-under-test.js';
import { nameOf } from './name-of.js';
import { type RecordedInput, type RecordedTest, recordTest } from './record-test.js';
import { mocksOf, type SentAnswer } from './sent-answers.js';

/** A simulation as a client of the simulation endpoint knows it. */
export interface SimulationToRecord {
  readonly inputs: readonly string[];
  readonly name?: string | undefined;
  readonly contact?: object | undefined;
  readonly parent?: object | undefined;
  readonly child?: object | undefined;
  readonly http_mocks?: readonly unknown[] | undefined;
  readonly http_answers?: readonly SentAnswer[] | undefined;
  readonly starts_with_input?: boolean | undefined;
  /** Time that passes before the input at a position, from 0; at the number of inputs, after the last one. */
  readonly waits?: readonly { readonly before: number; readonly ms: number }[] | undefined;
  /** Scripts that respond as the models of the simulation did, by connection as the journey names it. */
  readonly models?: Readonly<Record<string, unknown>> | undefined;
}

/** Writes a simulation as a test. @throws InvalidRequest for mocks that no simulation accepts */
export async function recordSimulation(
  { journeys }: Pick<JourneysContext, 'journeys'>,
  number: string,
  journey: JourneyUnderTest,
  journeyNamed: StubOptions['journeyNamed'],
  { inputs, http_mocks = [], http_answers = [], starts_with_input = false, waits = [], ...simulation }: SimulationToRecord,
): Promise<RecordedTest> {
  const { name, contact, parent, child, models } = simulation;
  checkMocks(http_mocks);
  const recorded = inputs.map((say): RecordedInput => ({ say }));
  const passed = (position: number): RecordedInput[] =>
    waits.filter(({ before }) => before === position).map(({ ms }) => ({ say: undefined, waitMs: ms }));
  const all = [
    ...(starts_with_input && recorded.length > 0 ? [] : [{ say: undefined }]),
    ...recorded.flatMap((input, i) => [...passed(i), input]),
    ...passed(recorded.length),
  ];
  return recordTest({
    name: name ?? nameOf(recorded),
    journey,
    settings: {
      ...(contact && { contact: contact as JsonObject }),
      ...(parent && { parent: parent as JsonObject }),
      ...(child && { child: child as JsonObject }),
      ...(models && { models: models as Record<string, JsonObject> }),
      http_mocks: [...(http_mocks as Json[]), ...mocksOf(http_answers)],
    },
    inputs: all,
    journeyNamed,
    platform: (perform) => journeys.performer(number, { http: (effect) => perform(effect) }),
  });
}

function checkMocks(mocks: readonly unknown[]): void {
  try {
    readMocks(mocks, []);
  } catch (error) {
    const message = (error as Error).message;
    throw new InvalidRequest([{ path: ['http_mocks'], rule: 'http_mocks', message }], message);
  }
}
