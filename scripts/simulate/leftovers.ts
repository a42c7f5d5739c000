import type { StateDocument } from '../../core/platform/platform-state.js';
import type { Run } from './run.js';

/** Queues that may have jobs after everything has settled, because the jobs are due in days. */
const FOR_DAYS = new Set([
  // "Media … are stored as files in the data folder for 30 days."
  'core.media-expiries',
  // Statuses with any id that a connector has returned for a message in the last seven days are those of the message.
  'channels.earlier-id-expiries',
  // "A merge can be undone for 30 days."
  'core.merge-expiries',
  // A simulation expires after 30 minutes; its id is known for one day.
  'simulation.expiries',
  // "Posthorn reads the templates of the business account … daily."
  'cloud-api.templates',
]);

/** Checks that a platform holds nothing unfinished after everything has settled, and that its own counts are those of what it stores. */
export async function checkLeftovers(run: Run): Promise<void> {
  for (const machine of run.machines) {
    const state = await machine.perform((platform) => platform.readState());
    if (!state) throw new Error(`${machine.name} has ended`);
    const all = (name: string): readonly StateDocument[] => state.collections[name] ?? [];
    const unfinished: readonly (readonly [what: string, documents: readonly StateDocument[]])[] = [
      ['jobs', all('core.jobs').filter(({ queue }) => !FOR_DAYS.has(String(queue)))],
      ['statuses of unknown messages', all('core.pending-statuses')],
      ['deliveries that are not settled', all('core.outbox')],
      ['messages that are being sent', all('core.messages').filter(({ pending_for: recipient }) => recipient !== undefined)],
      ['media records without a file', all('core.media').filter(({ sha256 }) => !(String(sha256) in state.media))],
    ];
    for (const [what, documents] of unfinished)
      if (documents.length > 0) run.violated(`${machine.name} holds ${documents.length} ${what}: ${JSON.stringify(documents[0])}`);
    const expiries = all('core.jobs').filter(({ queue }) => queue === 'core.media-expiries');
    const pairs: readonly (readonly [what: string, is: number, expected: number])[] = [
      ['jobs that delete a media file', expiries.length, all('core.media').length],
      ['conversations', all('core.conversations').length, all('core.contacts').length],
      ['settled deliveries in its history', await historyOf(run, 'deliveries'), all('core.settled-deliveries').length],
      ['sessions in its history', await historyOf(run, 'sessions'), all('journeys.sessions').length],
      ['prompts in its history', await historyOf(run, 'prompts'), all('journeys.prompts').length],
    ];
    for (const [what, is, expected] of pairs) if (is !== expected) run.violated(`${machine.name} has ${is} ${what}, not ${expected}`);
  }
}

async function historyOf(run: Run, name: string): Promise<number> {
  const { memory } = await run.admin('GET', '/memory');
  return memory.histories.find((one: { name: string }) => one.name === name).count;
}
