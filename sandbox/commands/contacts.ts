import { adminGet, adminSend } from '../client/admin-client.js';
import { contactsNamed, isUuid, type KnownContact } from '../client/contacts.js';
import { findRunFile, type RunFile } from '../client/run-file.js';
import { readFlags, toggle, UsageError } from '../terminal/flags.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const flags = {
  json: toggle('print the result as one line of JSON'),
  media: toggle('export: with the bytes of media files, in base64'),
  compact: toggle('erase: remove the data from the files before the command ends, and not with the next compaction'),
};

interface Erasure {
  readonly id: string;
  readonly state: 'running' | 'done';
  readonly removed?: Readonly<Record<string, number>>;
  readonly purged_at?: string;
}

type Values = ReturnType<typeof readFlags<typeof flags>>['values'];

export const contacts: Command = {
  summary: 'shows, merges, splits, exports and erases contacts',
  usage: 'contacts show|split|export|erase CONTACT | merge CONTACT INTO [flags]',
  examples: [
    'contacts show +27611111111',
    'contacts merge +27622222222 +27611111111',
    'contacts split +27622222222',
    'contacts export +27611111111',
    'contacts erase +27611111111',
  ],
  notes: [
    'CONTACT and INTO are uuids, or ids such as phone numbers. merge moves the messages, ids, fields and',
    'sessions of CONTACT to INTO, which remains. split undoes it for 30 days: CONTACT exists again, with',
    'the messages that came under its ids since. export prints everything that is stored about CONTACT as',
    'JSON. erase deletes all of it and cannot be undone; a contact whose account is on hold is refused.',
    'Exit codes: 0 done, 1 refused, 2 wrong usage or not found, 3 no sandbox.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [verb, ...names] = positionals;
    const expected = verb === undefined ? undefined : NAMES[verb];
    if (expected === undefined)
      throw new UsageError(`contacts takes show, merge, split, export, erase${verb === undefined ? '' : `, not '${verb}'`}`);
    if (names.length !== expected.length) throw new UsageError(`contacts ${verb} takes ${expected.join(' and ')}`);
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    if (verb === 'export' || verb === 'erase') return await onePerson(run, verb, names[0]!, { values, terminal });
    const shown = await request(run, verb!, names);
    if (values.json) terminal.out(JSON.stringify({ v: 1, ...shown }));
    else {
      terminal.out(`  ${shown.contact.id}  ${shown.contact.uuid}`);
      if (shown.ids.length > 1) terminal.out(`    other ids  ${shown.ids.slice(1).join(', ')}`);
      for (const { id, contact, expires_at: until } of shown.merges) terminal.out(`    merged     ${id}  ${contact}  until ${until}`);
      for (const [by, { at, reason }] of Object.entries(shown.contact.blocked ?? {}))
        terminal.out(`    blocked    by the ${by} since ${at}: ${reason}`);
    }
    return exit.ok;
  },
};

const NAMES: Readonly<Record<string, readonly string[]>> = {
  show: ['CONTACT'],
  merge: ['CONTACT', 'INTO'],
  split: ['CONTACT'],
  export: ['CONTACT'],
  erase: ['CONTACT'],
};

async function request(run: RunFile, verb: string, [name, into]: readonly string[]): Promise<KnownContact> {
  if (verb === 'show') return only(await contactsNamed(run, name!), name!);
  const contact = verb === 'split' ? await mergedContact(run, name!) : await merging(run, name!, into!);
  return (await adminSend(run, 'POST', `/contacts/${verb}`, contact)) as KnownContact;
}

async function onePerson(
  run: RunFile,
  verb: 'export' | 'erase',
  name: string,
  { values, terminal }: { readonly values: Values; readonly terminal: Terminal },
): Promise<number> {
  const path = `/contacts/${only(await contactsNamed(run, name), name).contact.uuid}`;
  if (verb === 'export') {
    terminal.out(JSON.stringify(await adminGet(run, `${path}/export${values.media ? '?media=true' : ''}`)));
    return exit.ok;
  }
  const { erasure } = (await adminSend(run, 'DELETE', `${path}${values.compact ? '?compact=true' : ''}`)) as { erasure: Erasure };
  if (values.json) terminal.out(JSON.stringify({ v: 1, erasure }));
  else {
    const removed = Object.entries(erasure.removed ?? {}).map(([what, count]) => `${count} ${what.replaceAll('_', ' ')}`);
    terminal.out(`  ${erasure.state === 'done' ? 'erased' : 'being erased'}  ${erasure.id}`);
    terminal.out(`    removed  ${removed.join(', ')}`);
    terminal.out(`    files    ${erasure.purged_at === undefined ? 'with the next compaction' : `removed at ${erasure.purged_at}`}`);
  }
  return exit.ok;
}

/** The contacts of a merge. Of ids that several numbers know, those of the number that knows both. */
async function merging(run: RunFile, name: string, into: string) {
  const [all, targets] = await Promise.all([contactsNamed(run, name), contactsNamed(run, into)]);
  const pairs = all.flatMap((one) =>
    targets.flatMap((other) => (one.contact.number === other.contact.number ? [[one, other] as const] : [])),
  );
  if (all.length > 0 && targets.length > 0 && pairs.length === 0)
    throw new UsageError(`${name} and ${into} are contacts of different numbers`);
  const [one, other] = [
    only(pairs.length > 0 ? pairs.map(([first]) => first) : all, name),
    only(
      pairs.map(([, second]) => second),
      into,
    ),
  ];
  return { contact: one.contact.uuid, into: other.contact.uuid };
}

/** The merged contact that had an id; its uuid names no contact any more. */
async function mergedContact(run: RunFile, name: string): Promise<{ contact: string }> {
  if (isUuid(name)) return { contact: name };
  const { merges } = only(await contactsNamed(run, name), name);
  const merge = merges.find(({ id }) => id === name.replace(/^\+/, '') || id === name) ?? (merges.length === 1 ? merges[0] : undefined);
  if (!merge) throw new UsageError(`no contact with the id ${name} was merged in the last 30 days`);
  return { contact: merge.contact };
}

/** @throws UsageError when there is none, or several */
function only(found: readonly KnownContact[], name: string): KnownContact {
  const [one, ...others] = found;
  if (!one) throw new UsageError(`contact ${name} not found`);
  if (others.length > 0)
    throw new UsageError(
      `several numbers know the contact ${name}; name it by its uuid: ${found.map(({ contact }) => contact.uuid).join(', ')}`,
    );
  return one;
}
