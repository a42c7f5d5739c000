import type { JsonObject } from '#core';
import { readJson } from '#core/basics';
import { inputFrom } from '../../../plugins/simulation/input.js';
import { type DocumentStep, type DocumentTest, mediaTypes, type SentMessage, type Settings } from '../format/index.js';
import { Conversation, StepImpossible, type TestTurn } from '../run/conversation.js';
import type { JourneyUnderTest } from '../run/journey-under-test.js';
import { act } from '../run/run-test.js';
import { TurnView } from '../run/turn-view.js';
import { type EffectSources, RecordedEffects } from './recorded-effects.js';
import { type Action, writtenSteps } from './written-steps.js';

/** A message of the contact that was recorded, or the start of the journey without one. */
export interface RecordedInput {
  /** The contact's message: the text of a simulation's `input`, or content. */
  readonly say: string | SentMessage | undefined;
  /** Milliseconds since the previous message. */
  readonly afterMs?: number | undefined;
  /** In place of a message: milliseconds that pass. */
  readonly waitMs?: number | undefined;
  /** The texts that the journey sent in reply, if they are known. */
  readonly replies?: readonly string[] | undefined;
}

export interface RecordOptions extends Pick<EffectSources, 'journeyNamed' | 'platform' | 'unanswered'> {
  readonly name: string;
  readonly journey: JourneyUnderTest;
  readonly settings: Settings;
  readonly inputs: readonly RecordedInput[];
}

/** A recorded conversation as a test that passes. */
export interface RecordedTest {
  readonly test: DocumentTest;
  /** Made-up answers, and turns that differ from those that were recorded: the author should look at them. */
  readonly notes: readonly string[];
  /** How many turns have the texts that were recorded. */
  readonly same: number;
  /** The contact fields that the journey set. */
  readonly setFields: ReadonlySet<string>;
}

const BEGINNING = '2026-01-05T08:00:00Z';
const MAX_SHOWN = 80;

/**
 * Repeats a recorded conversation on the engine, and writes what happens as a test: so the test passes, also where an answer of a service
 * is not known.
 */
export async function recordTest({ name, journey, settings, inputs, ...sources }: RecordOptions): Promise<RecordedTest> {
  let replies: string[] = [];
  const effects = new RecordedEffects({ ...sources, settings, replies: () => replies.shift() });
  const { contact = {}, parent, child, clock = BEGINNING, time_zone: timeZone = 'UTC', country, seed = name } = settings;
  const conversation = new Conversation({
    journey,
    definitions: (revision) => (revision === journey.uuid ? journey : (sources.journeyNamed(revision)?.journey ?? journey)).definition,
    perform: effects.perform,
    contact,
    parent,
    child,
    timeZone,
    country,
    seed,
    now: Date.parse(clock),
  });
  const steps: DocumentStep[] = [];
  const notes: string[] = [];
  const setFields = new Set<string>();
  let same = 0;

  const run = async (action: Action): Promise<TestTurn> => {
    const turn = await act(conversation, action);
    for (const event of turn.events) if (event.type === 'contact_field_set') setFields.add(event.key);
    steps.push(...writtenSteps(action, turn));
    return turn;
  };
  for (const [i, input] of inputs.entries()) {
    const { say, afterMs = 0, waitMs } = input;
    const { timeoutMs } = conversation;
    if (waitMs !== undefined) {
      await run({ kind: 'wait', ms: wholeSeconds(waitMs) });
      continue;
    }
    // Time matters only where a time-out had been due.
    if (i > 0 && timeoutMs !== undefined && afterMs >= timeoutMs) await run({ kind: 'wait', ms: wholeSeconds(afterMs) });
    replies = [...(input.replies ?? [])];
    const action: Action = say === undefined ? { kind: 'start' } : actionOf(say, conversation);
    const turn = await run(action).catch((error: unknown) => {
      if (!(error instanceof StepImpossible)) throw error;
      const [problem] = error.message.split('. Begin');
      notes.push(i === 0 ? `${problem}; the test begins with 'start'` : `${problem}; the test ends before this message`);
      return i === 0 ? run({ kind: 'start' }) : undefined;
    });
    if (!turn) break;
    if (!input.replies) continue;
    const now = new TurnView(turn).texts;
    if (JSON.stringify(now) === JSON.stringify(input.replies)) same++;
    else notes.push(`after ${shownInput(say)} the journey said ${quoted(input.replies)}, and says ${quoted(now)} in the test`);
  }
  return { test: { name, ...withoutEmpty(effects.settings), steps }, notes: [...effects.notes, ...notes], same, setFields };
}

/** The contact's message as an action: the label of an offered option is a tap. */
function actionOf(say: string | SentMessage, conversation: Conversation): Action {
  if (typeof say !== 'string') {
    const { text, ...content } = say;
    return text === undefined || Object.keys(content).length > 0 ? { kind: 'send', message: say } : actionOf(text, conversation);
  }
  const option = conversation.isWaiting ? conversation.options.find(({ label, id }) => label === say || id === say) : undefined;
  if (option) return { kind: option.kind === 'button' ? 'tap' : 'choose', label: option.label };
  const content = contentOf(say);
  return content ? { kind: 'send', message: content } : { kind: 'say', text: say };
}

/** The content that an input of a simulation stands for; undefined for a text. */
function contentOf(input: string): SentMessage | undefined {
  const { type, message } = inputFrom(input);
  if (type !== 'text') {
    const medium = mediaTypes.find((one) => one === type);
    const { link, caption } = ((medium && message?.[medium]) ?? {}) as { link?: string; caption?: string };
    if (medium && link !== undefined) return { [medium]: caption === undefined ? link : { link, caption } };
    return { message: message! };
  }
  const answers = input.trimStart().startsWith('{') ? readJson(input) : null;
  return typeof answers === 'object' && answers !== null && !Array.isArray(answers) ? { form: answers as JsonObject } : undefined;
}

/** Test files have no times below a second. */
const wholeSeconds = (ms: number): number => Math.max(1, Math.round(ms / 1000)) * 1000;

const withoutEmpty = (settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => typeof value !== 'object' || Object.keys(value).length > 0));

const shownInput = (say: RecordedInput['say']): string =>
  say === undefined ? 'the start' : quoted([typeof say === 'string' ? say : JSON.stringify(say)]);

function quoted(texts: readonly string[]): string {
  if (texts.length === 0) return 'nothing';
  const text = texts.join(' / ').replace(/\s+/g, ' ');
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}
