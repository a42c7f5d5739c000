import type { NotebookTrigger } from '../engine/notebook/notebook.js';
import type { Trigger } from './journey.js';

const KINDS: Readonly<Record<string, Trigger['on']>> = {
  'MESSAGE RECEIVED': 'message',
  'FIRST MESSAGE': 'first_message',
  'CATCH ALL': 'catch_all',
};

/** The triggers of a notebook that start it for messages. The compiler warns about all others. */
export const triggersOf = (triggers: readonly NotebookTrigger[]): Trigger[] =>
  triggers.flatMap((trigger) => {
    const on = 'on' in trigger ? KINDS[trigger.on] : undefined;
    return on ? [{ on, ...(trigger.when !== undefined && { when: trigger.when }) }] : [];
  });
