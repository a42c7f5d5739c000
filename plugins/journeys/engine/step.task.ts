import { hasBigIntegers, integersAsText } from '#core/basics';
import { compile, type Definition } from './compile.js';
import { contextView } from './context.js';
import type { Container } from './floip.js';
import { generations } from './generations.js';
import { type WithModules, withModules } from './language.js';
import { JOURNEY_LIMITS } from './limits.js';
import { isKnownVersion } from './new-session.js';
import { onlyOf, reportText } from './report-text.js';
import type { Session, StepInput, StepOutput, StepReport, StepText } from './session.js';
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

export default function stepTask(input: StepInput & WithModules): StepOutput | StepText | Promise<StepOutput | StepText> {
  return withModules(input, () => runStep(input));
}

/** Runs one step. A small report is JSON text, which the main thread reads in a third of the time that a structured clone takes. */
export function runStep({
  definitions,
  session,
  signal,
  environment,
  report: { events, context = false } = {},
}: StepInput): StepOutput | StepText {
  const definitionOf = (revision: string): Definition => {
    const shared = definitions[revision];
    if (!shared) throw new Error(`the definition of revision ${revision} is missing from the input of the step`);
    const known = compiled.get(shared.hash);
    if (known) return known;
    const definition = compile(JSON.parse(Buffer.from(shared.bytes).toString('utf8')) as Container);
    compiled.set(shared.hash, definition, shared.bytes.byteLength);
    return definition;
  };
  const stepped = step({ definitions: definitionOf, session: session === null ? null : parsed(session), signal, environment });
  // Checked here, because a very large output would exhaust the memory of the main thread and end every conversation.
  const size = sizeOf([stepped.events, stepped.next], JOURNEY_LIMITS.output);
  if (size > JOURNEY_LIMITS.output)
    throw new Error(
      `the output of this step has more than ${JOURNEY_LIMITS.output} characters, including the contexts of its messages; send fewer messages or keep less in variables`,
    );
  const json = JSON.stringify(stepped.session);
  if (json.length > JOURNEY_LIMITS.session)
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
  const isText = size <= MAX_TEXT || hasBigIntegers(json);
  return isText ? { session: json, report: integersAsText(reportText(report)) } : { session: json, ...report };
}

function parsed(session: string): Session {
  const value = JSON.parse(session) as Session;
  if (!isKnownVersion(value)) throw new Error(`session version ${value.v} is unknown; a later release wrote this session`);
  return value;
}
