import type { SelectedSession } from '../answering/choose.js';
import type { Signal } from '../engine/session.js';
import { globalNames, knownFields, type StartSubject } from './initial-names.js';

export function startSignal({ journey, session }: Pick<SelectedSession, 'journey' | 'session'>, subject: StartSubject): Signal {
  const { contact, conversation, input } = subject;
  return {
    kind: 'start',
    session: session.uuid,
    journey: journey.uuid,
    revision: session.revisions[0]!,
    contact: knownFields(contact, conversation),
    globals: globalNames(subject),
    ...(input && { input }),
  };
}
