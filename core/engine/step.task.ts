import { compile, type Definition } from './compile.js';
import type { Container } from './floip.js';
import { generations } from './generations.js';
import { JOURNEY_LIMITS } from './limits.js';
import { isKnownVersion } from './new-session.js';
import type { Session, StepInput, StepOutput } from './session.js';
import { sizeOf } from './size.js';
import { step } from './step.js';

/** Bytes of definitions in each of the two cache generations of a worker. The compiled form is several times larger. */
const CACHED_BYTES = 8_000_000;
const compiled = generations<{ readonly bytes: Buffer; readonly definition: Definition }>(CACHED_BYTES);

export default function stepTask({ definitions, session, signal, environment }: StepInput): StepOutput {
  const definitionOf = (revision: string): Definition => {
    const sent = definitions[revision];
    if (!sent) throw new Error(`the definition of revision ${revision} is missing from the input of the step`);
    const bytes = Buffer.from(sent);
    // Compare the bytes, not only the ids: two platforms with the same seed and without threads share this cache and have equal revision ids.
    const known = compiled.get(revision);
    if (known?.bytes.equals(bytes)) return known.definition;
    const definition = compile(JSON.parse(bytes.toString('utf8')) as Container);
    compiled.set(revision, { bytes, definition }, bytes.byteLength);
    return definition;
  };
  const stepped = step({ definitions: definitionOf, session: session === null ? null : parsed(session), signal, environment });
  // Checked here, because a very large output would exhaust the memory of the main thread and end every conversation.
  if (sizeOf([stepped.events, stepped.next], JOURNEY_LIMITS.output) > JOURNEY_LIMITS.output)
    throw new Error(
      `the output of this step has more than ${JOURNEY_LIMITS.output} characters, including the contexts of its messages; send fewer messages or keep less in variables`,
    );
  const json = JSON.stringify(stepped.session);
  if (json.length > JOURNEY_LIMITS.session)
    throw new Error(`the session has more than ${JOURNEY_LIMITS.session} characters as JSON; keep less in variables and results`);
  return {
    session: json,
    events: stepped.events,
    next: stepped.next,
    head: {
      status: stepped.session.status,
      revisions: [...new Set(stepped.session.stack.map(({ revision }) => revision))],
      contact: stepped.session.contact,
      card: stepped.stop.card,
      block: stepped.stop.uuid,
      turns: stepped.session.turns,
    },
  };
}

function parsed(session: string): Session {
  const value = JSON.parse(session) as Session;
  if (!isKnownVersion(value)) throw new Error(`session version ${value.v} is unknown; a later release wrote this session`);
  return value;
}
