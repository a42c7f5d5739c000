import { setImmediate } from 'node:timers/promises';
import type { PlayedChannel } from '#core/testing';
import type { Problem, TestCase } from '../format/index.js';
import { JourneyUnusable } from '../run/journey-under-test.js';
import { attempt, type JourneyLookup } from '../run/run-tests.js';
import { type Comparison, compareTalks, type TalkStep } from './compare.js';
import { talkOn, unplayable } from './talk.js';

/** A test as it was played on one channel. Plain data. */
export interface PlayedOn extends Comparison {
  readonly channel: string;
  readonly title: string;
  /** How people choose an option there. */
  readonly by: PlayedChannel['chosenBy'];
  readonly steps: readonly TalkStep[];
}

/** A test as it was played on several channels. Plain data. */
export interface PlayedTest {
  readonly name: string;
  readonly at: Problem['at'];
  /** The channels in their order; the first one is that with which the others are compared. */
  readonly channels: readonly PlayedOn[];
  /** Why it was not played. */
  readonly left?: string;
}

/** Plays tests on channels, one after the other. @throws JourneyUnusable when the journey of a test cannot be run */
export async function playTests(
  tests: readonly TestCase[],
  channels: readonly PlayedChannel[],
  lookup: JourneyLookup,
): Promise<readonly PlayedTest[]> {
  const played: PlayedTest[] = [];
  for (const test of tests) {
    const { name, at } = test;
    const left = unplayable(test);
    if (left !== undefined) {
      played.push({ name, at, left, channels: [] });
      continue;
    }
    const journey = attempt(() => lookup.ofTest(test));
    if (journey instanceof JourneyUnusable) throw journey;
    const on: PlayedOn[] = [];
    for (const { name: channel, title, chosenBy, ...rest } of channels) {
      const talk = await talkOn({ name: channel, title, chosenBy, ...rest }, test, journey);
      const comparison = compareTalks(on[0] ?? talk, talk, chosenBy);
      on.push({ channel, title, by: chosenBy, steps: talk.steps, ...comparison });
      // A server that plays tests still responds.
      await setImmediate();
    }
    played.push({ name, at, channels: on });
  }
  return played;
}
