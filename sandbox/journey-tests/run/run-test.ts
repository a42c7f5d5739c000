import type { JsonObject } from '#core';
import type { Input } from '#core/basics';
import { ownCommand } from '../../../core/own-command.js';
import type { JourneyAdditions } from '../../../plugins/journeys/plugin.js';
import { inputOfMessage } from '../../../plugins/simulation/input.js';
import type { FileCassette } from '../cassettes/file-cassette.js';
import type { CoverageHits } from '../coverage/hits.js';
import { type FilePosition, mediaTypes, type SentMessage, type TestAction, type TestCase, type TestStep } from '../format/index.js';
import { Conversation, StepImpossible, type TestTurn } from './conversation.js';
import { type Unmet, unmetOf } from './expectations.js';
import type { JourneyUnderTest } from './journey-under-test.js';
import { type OpenPlatform, testEffects } from './performers.js';
import type { TestSnapshots } from './snapshots.js';
import { actionLine, type TranscriptLine, transcriptText, turnLines } from './transcript.js';
import { TurnView } from './turn-view.js';

/** The result of one test. Plain data, so that a worker can pass it on. */
export interface TestResult {
  readonly name: string;
  /** Where it is in its file. */
  readonly at: FilePosition;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly ms: number;
  /** Why it was skipped. */
  readonly reason?: string;
  readonly failure?: TestFailure;
  /** Files of plugins that the command line named. */
  readonly plugins?: readonly string[];
}

/** Why a test failed. */
export interface TestFailure {
  /** The step or key in the test file. */
  readonly at: FilePosition;
  readonly message: string;
  readonly unmet: readonly Unmet[];
  /** The conversation up to the failing step. */
  readonly transcript: readonly TranscriptLine[];
  /** Where the journey was: file, card and place. */
  readonly journey?: { readonly file: string; readonly card: string; readonly at: FilePosition };
  /** Whether the only problem is a snapshot that is not stored. */
  readonly isMissingSnapshot?: boolean;
}

export interface TestDeps {
  readonly journey: JourneyUnderTest;
  readonly journeyNamed: (id: string) => JourneyUnderTest | undefined;
  /** The tested journey, or one that it has called, by uuid. */
  readonly journeyOf: (uuid: string) => JourneyUnderTest | undefined;
  readonly openPlatform: OpenPlatform;
  /** Answers from the recordings of the test's file. */
  readonly cassette?: FileCassette | undefined;
  /** Undefined if tests may not read files. */
  readonly folder: string | undefined;
  /** Undefined if snapshots are not compared. */
  readonly snapshots: TestSnapshots | undefined;
  /** The additions of plugins to journeys; undefined for none. */
  readonly additions?: JourneyAdditions | undefined;
  /** Counts what the test runs, if coverage is wanted. */
  readonly hits?: CoverageHits | undefined;
}

/** The time at which a test begins that names none. */
export const BEGINNING = '2026-01-05T08:00:00Z';

/** Runs one test. Never throws: a failure is in the result. */
export async function runTest(test: TestCase, deps: TestDeps): Promise<TestResult> {
  const since = performance.now();
  const { name, at, skip } = test;
  if (skip !== undefined) return { name, at, status: 'skipped', reason: skip, ms: 0 };
  const failure = await new TestRun(test, deps).run();
  const ms = performance.now() - since;
  return { name, at, status: failure ? 'failed' : 'passed', ms, ...(failure && { failure }) };
}

class TestRun {
  readonly #test: TestCase;
  readonly #deps: TestDeps;
  /** Steps and turns so far; written as a transcript only when one is needed. */
  readonly #log: (TestStep | TestTurn)[] = [];
  /** Whether the last turn failed or made a request without a response, and no expectation has accepted that yet. */
  #unaccepted: { readonly failure: boolean; readonly requests: boolean; readonly skills: boolean } = ACCEPTED;
  #turn: TestTurn | undefined;
  #acted: FilePosition;

  constructor(test: TestCase, deps: TestDeps) {
    this.#test = test;
    this.#deps = deps;
    this.#acted = test.at;
  }

  async run(): Promise<TestFailure | undefined> {
    const { settings, steps, name } = this.#test;
    const { journey, journeyNamed, hits, folder, openPlatform, cassette, additions } = this.#deps;
    const { contact = {}, parent, child, clock = BEGINNING, time_zone: timeZone = 'UTC', country, seed = name } = settings;
    let step: TestStep | undefined;
    try {
      let conversation: Conversation | undefined;
      const effects = testEffects(settings, {
        folder,
        openPlatform,
        recorded: cassette?.player(settings),
        journeyNamed,
        now: () => conversation?.now ?? 0,
        number: journey.number,
        additions,
      });
      conversation = new Conversation({
        journey,
        definitions: (revision) => (revision === journey.uuid ? journey : (journeyNamed(revision) ?? journey)).definition,
        perform: effects.perform,
        contact,
        parent,
        child,
        timeZone,
        country,
        seed,
        now: Date.parse(clock),
        ...(hits && { observe: hits.observe }),
      });
      for (step of steps) {
        if (step.kind === 'mock') {
          effects.addMocks(step.mocks);
          continue;
        }
        if (step.kind === 'expect') {
          const failure = this.#expect(step);
          if (failure) return failure;
          continue;
        }
        const open = this.#openProblem();
        if (open) return open;
        this.#log.push(step);
        this.#acted = step.at;
        this.#turn = await act(conversation, step);
        this.#log.push(this.#turn);
        hits?.count(this.#turn.events, conversation.trigger);
        this.#unaccepted = {
          failure: this.#turn.failure !== undefined,
          requests: this.#turn.events.some((event) => event.type === 'http_call' && event.call.status === null),
          skills: missingSkill(this.#turn) !== undefined,
        };
      }
      return this.#openProblem();
    } catch (error) {
      if (error instanceof StepImpossible) return this.#failure(step?.at ?? this.#test.at, error.message, []);
      const message = error instanceof Error ? error.message : String(error);
      return this.#failure(step?.at ?? this.#test.at, message, []);
    }
  }

  #expect({ expectation, places, at }: Extract<TestStep, { kind: 'expect' }>): TestFailure | undefined {
    const turn = this.#turn!;
    const view = new TurnView(turn);
    const unmet = unmetOf(view, expectation, places, at);
    this.#unaccepted = {
      failure: this.#unaccepted.failure && expectation.error === undefined,
      requests: this.#unaccepted.requests && expectation.http_calls === undefined,
      skills: this.#unaccepted.skills && expectation.skill_calls === undefined,
    };
    // A journey that failed explains most other differences.
    const open = unmet.length > 0 ? this.#openProblem(unmet) : undefined;
    if (open) return open;
    if (unmet.length > 0) return this.#failure(unmet[0]!.at, summaryOf(unmet), unmet);
    return expectation.snapshot === true ? this.#snapshot(places.snapshot ?? at) : undefined;
  }

  #snapshot(at: FilePosition): TestFailure | undefined {
    const text = transcriptText(this.#transcript());
    const { status, stored } = this.#deps.snapshots?.compare(this.#test.name, text) ?? SAME;
    if (status === 'same') return undefined;
    if (status === 'missing') {
      return {
        ...this.#failure(at, `the snapshot is not stored; store it with: ${ownCommand()} test --update`, []),
        isMissingSnapshot: true,
      };
    }
    const texts = { expected: stored!, received: text };
    const unmet = { key: 'snapshot', path: '', expected: 'the stored transcript', received: 'another one', at, texts };
    return this.#failure(at, `the transcript differs from the snapshot; if it is right, store it with: ${ownCommand()} test --update`, [
      unmet,
    ]);
  }

  /** A failure of the journey, or a request or skill without a mock, that the test does not expect. */
  #openProblem(unmet: readonly Unmet[] = []): TestFailure | undefined {
    const turn = this.#turn;
    if (!turn || !Object.values(this.#unaccepted).includes(true)) return undefined;
    const { failure } = turn;
    // It explains the failure of an agent that calls it again and again.
    if (this.#unaccepted.skills)
      return this.#failure(this.#acted, `${missingSkill(turn)}; if that is right, expect it in 'skill_calls'`, unmet);
    if (this.#unaccepted.failure && failure)
      return this.#failure(
        this.#acted,
        `the journey failed: ${failure.code}: ${failure.reason}; if that is right, expect 'error: ${failure.code}'`,
        unmet,
      );
    const misses = turn.events.flatMap((event) => (event.type === 'http_call' && event.call.status === null ? event : []));
    const miss = misses[0]?.call.failures[0] ?? 'a request got no response';
    return this.#failure(this.#acted, `${miss}; if that is right, expect it in 'http_calls'`, unmet, misses[0]?.at);
  }

  /** @param place where the cause is in the journey; without it, where the journey was last */
  #failure(at: FilePosition, message: string, unmet: readonly Unmet[], place?: TurnView['last']): TestFailure {
    const last = place ?? (this.#turn && new TurnView(this.#turn).last);
    const journey = last && this.#deps.journeyOf(last.journey);
    const inJourney = journey && { file: journey.file, card: last.card, at: placeIn(journey, last.block) };
    return { at, message, unmet, transcript: this.#transcript(), ...(inJourney && { journey: inJourney }) };
  }

  #transcript(): TranscriptLine[] {
    return this.#log.flatMap((entry) => ('kind' in entry ? (actionLine(entry) ?? []) : turnLines(entry)));
  }
}

const SAME = { status: 'same', stored: undefined } as const;
const ACCEPTED = { failure: false, requests: false, skills: false } as const;

/** Why a skill of an agent could not run: the agent continues, so the test would not notice. */
function missingSkill({ events }: TestTurn): string | undefined {
  for (const event of events) {
    const { error } = ((event.type === 'skill_call' && event.output) || {}) as { readonly error?: unknown };
    const [, reason] = (typeof error === 'string' && /^(?:skill_not_found|skill_invalid|effect_failed): (.*)$/s.exec(error)) || [];
    if (reason !== undefined) return reason;
  }
  return undefined;
}

const summaryOf = ([first, ...more]: readonly Unmet[]): string =>
  `${first!.key}${first!.path} differs: expected ${first!.expected}, received ${first!.received}${more.length === 0 ? '' : ` (and ${more.map(({ key }) => key).join(', ')})`}`;

/** The place of a block in the file of the journey. */
export function placeIn({ container, placeOf }: JourneyUnderTest, block: string): FilePosition {
  for (const [i, { blocks }] of container.flows.entries()) {
    const k = blocks.findIndex(({ uuid }) => uuid === block);
    if (k >= 0) return placeOf(`/flows/${i}/blocks/${k}`);
  }
  return { line: 1, column: 1 };
}

/** Performs an action of a test. */
export function act(conversation: Conversation, step: Exclude<TestAction, { kind: 'expect' | 'mock' }>): Promise<TestTurn> {
  switch (step.kind) {
    case 'start':
      return conversation.start(undefined);
    case 'say':
      return conversation.say(textInput(step.text));
    case 'tap':
      return conversation.select('button', step.label);
    case 'choose':
      return conversation.select('row', step.label);
    case 'send':
      return conversation.say(inputOf(step.message), step.message.context === 'last');
    case 'wait':
      return conversation.wait(step.ms);
  }
}

const textInput = (text: string): Input => ({ type: 'text', text, message: { type: 'text', text: { body: text } } });

/** The contact's message as the journey receives it. */
function inputOf(sent: SentMessage): Input {
  if (sent.text !== undefined) return textInput(sent.text);
  if (sent.message) return inputOfMessage(sent.message);
  if (sent.location) return inputOfMessage({ type: 'location', location: sent.location });
  if (sent.form) return textInput(JSON.stringify(sent.form));
  const type = mediaTypes.find((type) => sent[type] !== undefined)!;
  const medium = sent[type]!;
  const content: JsonObject = typeof medium === 'string' ? { link: medium } : medium;
  return inputOfMessage({ type, [type]: { id: `simulated-${type}`, ...content } });
}
