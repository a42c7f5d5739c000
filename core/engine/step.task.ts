import { compile, type Definition } from './compile.js';
import type { Container } from './floip.js';
import { generations } from './generations.js';
import { JOURNEY_LIMITS } from './limits.js';
import { isKnownVersion } from './new-session.js';
import type { Session, StepInput, StepOutput } from './session.js';
import { sizeOf } from './size.js';
import { step } from './step.js';

/** Bytes of definitions that each of two generations of a worker's cache may hold; the compiled form is several times larger. */
const CACHED_BYTES = 8_000_000;
const compiled = generations<{ readonly bytes: Buffer; readonly definition: Definition }>(CACHED_BYTES);

export default function stepTask({ definitions, session, signal, environment }: StepInput): StepOutput {
  const definitionOf = (revision: string): Definition => {
    const sent = definitions[revision];
    if (!sent) throw new Error(`the definition of revision ${revision} was not sent along`);
    const bytes = Buffer.from(sent);
    // Two platforms of the same seed share names of revisions and, when both run inline, this cache.
    const known = compiled.get(revision);
    if (known?.bytes.equals(bytes)) return known.definition;
    const definition = compile(JSON.parse(bytes.toString('utf8')) as Container);
    compiled.set(revision, { bytes, definition }, bytes.byteLength);
    return definition;
  };
  const stepped = step({ definitions: definitionOf, session: session === null ? null : parsed(session), signal, environment });
  // The main thread holds the state of all contacts: an output that is too large does not leave this thread.
  if (sizeOf([stepped.events, stepped.next], JOURNEY_LIMITS.output) > JOURNEY_LIMITS.output)
    throw new Error(`a step tells at most ${JOURNEY_LIMITS.output} characters, the contexts of its messages included`);
  const json = JSON.stringify(stepped.session);
  if (json.length > JOURNEY_LIMITS.session) throw new Error(`a session knows at most ${JOURNEY_LIMITS.session} characters, as JSON`);
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
  if (!isKnownVersion(value)) throw new Error(`sessions of version ${value.v} are not known`);
  return value;
}
