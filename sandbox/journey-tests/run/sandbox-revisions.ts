import { ownCommand } from '../../../core/own-command.js';
import { adminGet } from '../../client/admin-client.js';
import { findRunFile } from '../../client/run-file.js';
import type { Revision } from '../format/index.js';
import type { RevisionText } from './run-file.js';

interface Journeys {
  readonly journeys: readonly { readonly uuid: string; readonly name: string }[];
}

/** Reads a revision of a journey from the running sandbox: its notebook, or its definition as JSON. Never throws. */
export async function revisionText(journey: string | undefined, revision: Revision, cwd: string): Promise<RevisionText> {
  if (journey === undefined) return { problem: `a test with revision '${revision}' needs the name or uuid of a journey: 'journey: NAME'` };
  const run = findRunFile(cwd);
  if (!run)
    return { problem: `revision '${revision}' of '${journey}' is in a sandbox, and none runs; start it with: ${ownCommand()} sandbox` };
  try {
    const { numbers } = (await adminGet(run, '/numbers')) as { numbers: readonly { uuid: string }[] };
    const lists = await Promise.all(numbers.map(({ uuid }) => adminGet(run, `/journeys?number=${uuid}`) as Promise<Journeys>));
    const all = lists.flatMap(({ journeys }) => journeys);
    const found = all.filter(({ uuid, name }) => uuid === journey || name === journey);
    const [first] = found;
    if (!first)
      return {
        problem: `journey '${journey}' not found in the sandbox; it has: ${[...new Set(all.map(({ name }) => name))].join(', ') || 'none'}`,
      };
    if (found.length > 1)
      return { problem: `several journeys are named '${journey}'; use a uuid: ${found.map(({ uuid }) => uuid).join(', ')}` };
    const stored = (await adminGet(run, `/journeys/${first.uuid}?revision=${revision}`)) as { notebook?: string; definition: object };
    const { notebook, definition } = stored;
    return notebook === undefined
      ? { file: `${first.name} (${revision}).json`, text: JSON.stringify(definition, null, 2) }
      : { file: `${first.name} (${revision}).md`, text: notebook };
  } catch (error) {
    return { problem: `revision '${revision}' of '${journey}' cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}
