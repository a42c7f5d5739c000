import { adminGet } from './admin-client.js';
import type { RunFile } from './run-file.js';

/** A contact with all its ids, and the merges into it that can be undone. */
export interface KnownContact {
  readonly contact: {
    readonly uuid: string;
    readonly number: string;
    readonly id: string;
    /** The blocks of messages to the contact, by the side that has set them. */
    readonly blocked?: Readonly<Record<string, { readonly at: string; readonly reason: string }>>;
  };
  readonly ids: readonly string[];
  readonly merges: readonly { readonly contact: string; readonly id: string; readonly expires_at: string }[];
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
export const isUuid = (name: string): boolean => UUID.test(name);

/** Finds the contacts that have an id or a uuid: one for each number that knows it. */
export async function contactsNamed(run: RunFile, name: string): Promise<readonly KnownContact[]> {
  if (isUuid(name)) return [(await adminGet(run, `/contacts/${name}`)) as KnownContact];
  const { numbers } = (await adminGet(run, '/numbers')) as { numbers: readonly { uuid: string }[] };
  const found = numbers.map(async ({ uuid }) => {
    const { contacts } = (await adminGet(run, `/numbers/${uuid}/contacts?id=${encodeURIComponent(name)}`)) as {
      contacts: readonly { uuid: string }[];
    };
    return contacts[0] ? ((await adminGet(run, `/contacts/${contacts[0].uuid}`)) as KnownContact) : undefined;
  });
  return (await Promise.all(found)).filter((one) => one !== undefined);
}
