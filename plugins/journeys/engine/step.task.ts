import { hasBigIntegers, integersAsText } from '#core/basics';
import { compile, type Definition } from './compile.js';
import { contextView } from './context.js';
import type { Meter } from './expression/budget.js';
import type { Container } from './floip.js';
import { generations } from './generations.js';
import { type WithModules, withModules } from './language.js';
import { JOURNEY_LIMITS } from './limits.js';
import { isKnownVersion } from './new-session.js';
import { onlyOf, reportText } from './report-text.js';
import type { Definitions, JourneyEvent, Session, StepInput, StepOutput, StepReport, StepText } from './session.js';
import { sizeOf } from './size.js';
import { step } from './step.js';

/** Bytes of definitions in each of the two cache generations of a worker. The compiled form is several times larger. */
const CACHED_BYTES = 8_000_000;
/**
 * By hash and not by revision: two platforms with the same seed and without threads share this cache and have equal revision ids. A worker
 * that does not know a hash compiles the bytes, which every input has.
 */
const compiled = generations<Definition>(CACHED_BYTES);
/**
 * A larger report is cloned. Its messages may share one large context: a clone has it once, and its text would repeat it for each message.
 * Only in a text, big integers become texts for the readers of the report; the session keeps them.
 */
const MAX_TEXT = 65_536;
/** By hash, how many further steps of a definition go to a worker, because one of them was too long. */
const long = generations<{ steps: number }>(1_000);
const LONG_STEPS = 50;
/** Characters that a unit of cost can create at most in a text that is printed, and in a value. */
const CHARACTERS = 64 + 128;
/**
 * The bounds of a short step: characters of the session and of the signal, bytes of the definitions, which the first step compiles, and the
 * cost of blocks and expressions.
 */
const SHORT = { session: 16_384, signal: 4_096, definitions: 131_072, cost: 1_000 } as const;

export default function stepTask(input: StepInput & WithModules): StepOutput | StepText | Promise<StepOutput | StepText> {
  return withModules(input, () => runStep(input));
}

/** Runs one step. A small report is JSON text, which the main thread reads in a third of the time that a structured clone takes. */
export function runStep(input: StepInput): StepOutput | StepText {
  const { report, session, size } = stepped(input);
  const isText = size <= MAX_TEXT || hasBigIntegers(session);
  return isText ? { session, report: integersAsText(reportText(report)) } : { session, ...report };
}

/**
 * Runs a step on this thread if it is certain to be short: with a small session and signal, a definition that is quickly compiled, few
 * blocks, and cheap expressions. A step is a pure function, so the caller of one that turns out longer runs it again in a worker.
 * Only for callers that choose the events of the report. Its objects may be those of the definition: do not change them.
 * @returns undefined for a step that is too long, and one that throws
 */
export function shortStep(input: StepInput): StepOutput | undefined {
  const { definitions, session: before, signal, report: options } = input;
  const had = before?.length ?? 0;
  if (!options?.events || had > SHORT.session || sizeOf(signal, SHORT.signal) > SHORT.signal) return undefined;
  let bytes = 0;
  for (const revision in definitions) {
    const { hash, bytes: json } = definitions[revision]!;
    bytes += json.byteLength;
    const known = long.get(hash);
    if (known && known.steps-- > 0) return undefined;
  }
  if (bytes > SHORT.definitions) return undefined;
  const meter: Meter = { remaining: SHORT.cost, isShort: true };
  try {
    const { report, session, size, messages } = stepped(input, meter);
    // More than the details of the messages, which are left out here: they are part of the size that is limited.
    const details = messages * (3 * bytes + had + session.length + CHARACTERS * (SHORT.cost - meter.remaining));
    if (meter.remaining >= 0 && size + details <= JOURNEY_LIMITS.output && !mayHaveBigIntegers(report, session))
      return { session, ...report };
  } catch {
    // The worker throws the same, and its caller reports it.
  }
  for (const revision in definitions) long.set(definitions[revision]!.hash, { steps: LONG_STEPS }, 1);
  return undefined;
}

/** Big integers become texts in a report that is text. */
function mayHaveBigIntegers({ events, next }: StepReport, session: string): boolean {
  const isPlain = next.kind !== 'effect' && events.every(hasTextsOnly);
  return hasBigIntegers(session) || (!isPlain && hasBigIntegers(JSON.stringify([events, next])));
}

const hasTextsOnly = (event: JourneyEvent): boolean =>
  event.type === 'message_out'
    ? 'type' in event.turn && (event.turn.type !== 'interactive' || event.turn.interactive.type !== 'flow')
    : event.type === 'wait' || event.type === 'failure';

function definitionOf(definitions: Definitions, revision: string): Definition {
  const shared = definitions[revision];
  if (!shared) throw new Error(`the definition of revision ${revision} is missing from the input of the step`);
  const known = compiled.get(shared.hash);
  if (known) return known;
  const definition = compile(JSON.parse(Buffer.from(shared.bytes).toString('utf8')) as Container);
  compiled.set(shared.hash, definition, shared.bytes.byteLength);
  return definition;
}

/** A step, with its session as JSON, and the size and the messages of its output. */
function stepped(
  { definitions, session: before, signal, environment, report: { events, context = false } = {} }: StepInput,
  meter?: Meter,
): { report: StepReport; session: string; size: number; messages: number } {
  const stepped = step({
    definitions: (revision) => definitionOf(definitions, revision),
    session: before === null ? null : parsed(before),
    signal,
    environment,
    ...(meter && { meter }),
  });
  // Checked here, because a very large output would exhaust the memory of the main thread and end every conversation.
  const size = sizeOf([stepped.events, stepped.next], JOURNEY_LIMITS.output);
  if (size > JOURNEY_LIMITS.output)
    throw new Error(
      `the output of this step has more than ${JOURNEY_LIMITS.output} characters, including the contexts of its messages; send fewer messages or keep less in variables`,
    );
  const session = JSON.stringify(stepped.session);
  if (session.length > JOURNEY_LIMITS.session)
    throw new Error(`the session has more than ${JOURNEY_LIMITS.session} characters as JSON; keep less in variables and results`);
  const report: StepReport = {
    events: events ? onlyOf(stepped.events, events) : stepped.events,
    next: stepped.next,
    head: {
      status: stepped.session.status,
      revisions: [...new Set(stepped.session.stack.map(({ revision }) => revision))],
      contact: stepped.session.contact,
      card: stepped.stop.card,
      block: stepped.stop.uuid,
      turns: stepped.session.turns,
    },
    ...(context && { context: contextView(stepped.session) }),
  };
  return { report, session, size, messages: stepped.events.filter(({ type }) => type === 'message_out').length };
}

function parsed(session: string): Session {
  const value = JSON.parse(session) as Session;
  if (!isKnownVersion(value)) throw new Error(`session version ${value.v} is unknown; a later release wrote this session`);
  return value;
}
