import type { JsonObject } from '#core';
import { type ChannelPerson, ManualClock, type PlayedChannel, startPlatform, type Tap } from '#core/testing';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { durationText, type TestCase, type TestStep } from '../format/index.js';
import type { JourneyUnderTest } from '../run/journey-under-test.js';
import { BEGINNING } from '../run/run-test.js';
import { comparable, type Talk, type TalkStep } from './compare.js';

/** Longer than channels need for the messages of a turn, and shorter than a session waits. */
const SETTLED_MS = 10_000;
/** The contact writes this where a test only starts the journey. */
const FIRST = 'hi';
const OF_THE_TEST = ['http_mocks', 'skills', 'models', 'cards', 'journeys', 'secrets', 'parent', 'child'] as const;

/** Why a test cannot be played on channels; undefined if it can. */
export function unplayable({ settings, steps, skip }: TestCase): string | undefined {
  if (skip !== undefined) return skip;
  const needed = OF_THE_TEST.find((key) => Object.keys(settings[key] ?? {}).length > 0);
  if (needed !== undefined) return `it needs '${needed}', which only a test without a channel has`;
  if (steps.some(({ kind }) => kind === 'mock')) return 'it sets mocks of requests, which only a test without a channel has';
  const sent = steps.find((step) => step.kind === 'send' && step.message.text === undefined);
  return sent && 'it sends other messages than texts and choices, which not every channel has';
}

/** Plays the steps of a test on a channel, on a platform of its own with a clock of its own. Never throws: a failure is in the result. */
export async function talkOn(channel: PlayedChannel, test: TestCase, journey: JourneyUnderTest): Promise<Talk> {
  const { clock: start = BEGINNING, time_zone: timeZone = 'UTC', country, contact = {} } = test.settings;
  const ends: (() => unknown)[] = [];
  const steps: TalkStep[] = [];
  try {
    const platform = await startPlatform({ teardown: (end: () => unknown) => ends.push(end) } as unknown as Tap, {
      plugins: [journeys(), ...channel.plugins()],
      journeys: { timeZone, ...(country !== undefined && { country }) },
      ports: { clock: new ManualClock({ start: new Date(start) }) },
    });
    const person = await channel.open(platform);
    await prepare(platform, person, journey, contact);
    let arrived = 0;
    let offered: readonly string[] = [];
    for (const step of test.steps) {
      const action = actionOf(step);
      if (!action) continue;
      const { did, said, ms = SETTLED_MS } = action;
      if (did === 'choose') await person.choose(indexOf(said, offered));
      else if (did === 'write') await person.write(said);
      await platform.clock.advance(ms);
      const all = await person.seen();
      const seen = all.slice(arrived);
      arrived = all.length;
      offered = seen.findLast(({ options }) => options.length > 0)?.options ?? offered;
      steps.push({ did, said, seen });
    }
    return { steps };
  } catch (error) {
    return { steps, problem: error instanceof Error ? error.message : String(error) };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

type Platform = Awaited<ReturnType<typeof startPlatform>>;

/** Publishes the journey for all messages to the number, and gives the contact the fields of the test. */
async function prepare({ admin, platform }: Platform, person: ChannelPerson, journey: JourneyUnderTest, fields: JsonObject) {
  const { number, contact, name } = person;
  const path = `/journeys/${platform.ids.uuid()}`;
  const draft = { number, name: journey.name, definition: journey.container, triggers: [{ on: 'catch_all' }] };
  for (const [method, url, payload] of [
    ['PUT', path, draft],
    ['POST', `${path}/publish`, { revision: 'production' }],
  ] as const) {
    const { status, body } = await admin(method, url, payload);
    if (status >= 300) throw new Error(`the journey was not published: ${JSON.stringify(body)}`);
  }
  const record = await platform.numbers.require(number);
  await platform.store.transaction(async (tx) => {
    const { uuid } = await platform.contacts.findOrCreate(tx, record, {
      id: contact,
      address: contact,
      ...(name !== undefined && { name }),
    });
    // Not every channel tells names, so that journeys would do other things on some.
    await platform.contacts.setFields(tx, record, uuid, { name: null, ...fields });
  });
}

/** The contact's part of a step; undefined for steps that only expect something. */
function actionOf(step: TestStep): (Pick<TalkStep, 'did' | 'said'> & { readonly ms?: number }) | undefined {
  switch (step.kind) {
    case 'start':
      return { did: 'write', said: FIRST };
    case 'say':
      return { did: 'write', said: step.text };
    case 'send':
      return { did: 'write', said: step.message.text ?? '' };
    case 'tap':
    case 'choose':
      return { did: 'choose', said: step.label };
    case 'wait':
      return { did: 'wait', said: durationText(step.ms), ms: step.ms };
    default:
      return undefined;
  }
}

/** @throws Error when the option is not offered */
function indexOf(label: string, offered: readonly string[]): number {
  const index = offered.findIndex((title) => comparable(title) === comparable(label));
  if (index < 0) throw new Error(`the option '${label}' is not offered; offered are: ${offered.join(', ') || 'none'}`);
  return index;
}
