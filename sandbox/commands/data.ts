import { resolve } from 'node:path';
import type { CheckOptions } from '#core';
import type { Logger } from '#core/ports';
import type { DataMove } from '../../plugins/cluster/move/data-move.js';
import { notesCheck } from '../demo/notes.js';
import { backupProgressPrinter, printBackup, printRestore } from '../reports/backup-report.js';
import { printCheck, printRepair } from '../reports/data-report.js';
import { printMove, progressPrinter } from '../reports/move-report.js';
import { CommandFailed } from '../terminal/command-failed.js';
import { type Flag, readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import type { Command } from './command.js';

/** The database is not a flag: other users of the machine can read flags, and its URL contains a password. */
const URL_VARIABLE = 'POSTHORN_DATABASE_URL';
/** The keys of an encrypted folder, for the same reason. */
const KEY_VARIABLE = 'POSTHORN_SECRET_KEY';
const PREVIOUS_KEYS_VARIABLE = 'POSTHORN_PREVIOUS_SECRET_KEYS';
const MAX_SHARDS = 64;

const shardCount: Flag<number> = {
  takes: 'N',
  help: `move: the number of shards in the database, 1 to ${MAX_SHARDS} (default 1)`,
  read(given) {
    const count = Number(given);
    if (Number.isInteger(count) && count >= 1 && count <= MAX_SHARDS) return count;
    throw new UsageError(`takes a number from 1 to ${MAX_SHARDS}, not '${given}'`);
  },
};

const flags = {
  json: toggle('print the report as one line of JSON'),
  'own-key': toggle(`check, repair: no key file; the platform sets \`secretKey\`. Implied by ${KEY_VARIABLE}`),
  back: toggle('move: from the database to DIR'),
  shards: shardCount,
  erasures: text('FILE', 'restore: a newer list of erased contacts, such as erasures.jsonl of the lost folder'),
  schema: text('NAME', 'move: the schema of the tables in the database (default posthorn)'),
};

const EXAMPLES = {
  backup: 'data backup ./data /mnt/backups',
  restore: 'data restore /mnt/backups/2027-03-01T02-00-00.000Z ./restored',
};

type Values = ReturnType<typeof readFlags<typeof flags>>['values'];

export const data: Command = {
  summary: 'backs up, restores, checks, repairs, shows and moves the data of a platform',
  usage: 'data check|repair|move DIR | show FILE | backup DIR BACKUPS | restore BACKUP DIR [flags]',
  examples: [
    ...Object.values(EXAMPLES),
    'data check ./data',
    'data repair ./data',
    'data show ./data/core.numbers.json',
    'data move ./data --shards 4',
  ],
  notes: [
    'backup adds a copy of DIR to the folder BACKUPS, named after the time, as of one transaction and with',
    'media and keys, while a platform may use DIR. It verifies all checksums. It shares the files that the',
    'previous backup in BACKUPS has already, by hard links; any backup may be deleted. An interrupted',
    'backup is in BACKUPS/incomplete, and the next one continues it. restore copies a backup to a new',
    'or empty folder DIR. The first start erases again the contacts that erasures.jsonl in BACKUPS lists.',
    'check reads every record, the key file and sandbox.json, and changes nothing. repair keeps every',
    'readable record and moves the rest to DIR/set-aside-1.jsonl; it cannot restore a key file or a',
    'sandbox.json. Copy the folder before a repair. check and repair refuse a folder that is in use.',
    'show prints a file of a data folder as it was before it was encrypted, for example for jq.',
    `For an encrypted folder, set ${KEY_VARIABLE} to its secretKey, and ${PREVIOUS_KEYS_VARIABLE}`,
    'to those used before, separated by commas.',
    `move copies everything from DIR to the database of ${URL_VARIABLE}, or back with --back,`,
    'and verifies counts and checksums. No process may run; the source stays as it is. If a move is',
    'interrupted, run it again: it continues. move --shards N without DIR changes the number of shards',
    'in the database. Media files stay in DIR/media.',
    'Exit codes: 0 done or intact, 1 damaged or failed, 2 no data in DIR or BACKUP, 4 in use.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [verb, folder, ...others] = positionals;
    const run = verb !== undefined && Object.hasOwn(verbs, verb) ? verbs[verb as keyof typeof verbs] : undefined;
    if (!run) {
      const given = verb === undefined ? '' : `, not '${verb}'`;
      throw new UsageError(`data takes backup, restore, check, repair, show or move${given}; for example: npx posthorn data check ./data`);
    }
    const takesTwo = verb === 'backup' || verb === 'restore';
    if (takesTwo && others.length !== 1)
      throw new UsageError(`data ${verb} takes two folders, for example: npx posthorn ${EXAMPLES[verb]}`);
    const takes = verb === 'show' ? 'file' : 'folder';
    if (!takesTwo && others.length > 0) throw new UsageError(`data ${verb} takes one ${takes}, not ${others.length + 1}`);
    try {
      return await run(folder, values, terminal, others[0]!);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      const { name, message } = error as Error;
      if (name === 'FolderInUse' || name === 'PlaceInUse')
        throw new CommandFailed(message, { code: 'in_use', next: 'npx posthorn status', exit: exit.inUse });
      if (name === 'NoData') {
        const next = verb === 'restore' ? 'npx posthorn help data' : `npx posthorn sandbox --data ${folder}`;
        throw new CommandFailed(message, { code: 'no_data', next, exit: exit.usage });
      }
      if (name === 'KeyMissing') throw new CommandFailed(message, { next: 'npx posthorn help data' });
      if (name === 'DataDamaged') throw new CommandFailed(message, { next: `npx posthorn data check ${folder}` });
      if (name === 'CopyFailed') throw new CommandFailed(message, { next: ['npx posthorn data', ...positionals].join(' ') });
      throw error;
    }
  },
};

/** Shows warnings only: the progress of the move is shown anyway. */
function loggerOf({ err }: Terminal): Logger {
  const show = (message: string) => err(`posthorn: ${message}`);
  const logger: Logger = { debug() {}, info() {}, warn: show, error: show, child: () => logger };
  return logger;
}

/** Each returns the exit code. */
const verbs = {
  async backup(folder: string | undefined, values: Values, terminal: Terminal, backups: string): Promise<number> {
    const { backupData } = await import('../../core/adapters/store/index.js');
    const report = await backupData(resolve(terminal.cwd, folder!), resolve(terminal.cwd, backups), {
      secretKeys: secretKeys(),
      onProgress: backupProgressPrinter(terminal),
    });
    if (values.json) terminal.out(JSON.stringify({ v: 1, ...report }));
    else printBackup(report, terminal);
    return report.damaged_media.length > 0 ? exit.failed : exit.ok;
  },

  async restore(backup: string | undefined, values: Values, terminal: Terminal, folder: string): Promise<number> {
    const { restoreData } = await import('../../core/adapters/store/index.js');
    const report = await restoreData(resolve(terminal.cwd, backup!), resolve(terminal.cwd, folder), {
      secretKeys: secretKeys(),
      onProgress: backupProgressPrinter(terminal),
      ...(values.erasures !== undefined && { erasures: [resolve(terminal.cwd, values.erasures)] }),
    });
    if (values.json) terminal.out(JSON.stringify({ v: 1, ...report }));
    else printRestore(report, terminal);
    return report.damaged_media.length > 0 ? exit.failed : exit.ok;
  },

  async check(folder: string | undefined, values: Values, terminal: Terminal): Promise<number> {
    const options = optionsOf('check', folder, values);
    const { checkData } = await import('#core');
    const report = await checkData(folder!, options);
    if (values.json) terminal.out(JSON.stringify({ v: 1, ...report }));
    else printCheck(report, terminal);
    return report.is_whole ? exit.ok : exit.failed;
  },

  async repair(folder: string | undefined, values: Values, terminal: Terminal): Promise<number> {
    const options = optionsOf('repair', folder, values);
    const { repairData } = await import('#core');
    const report = await repairData(folder!, options);
    if (values.json) terminal.out(JSON.stringify({ v: 1, ...report }));
    else printRepair(report, terminal);
    return report.beyond_repair.length > 0 ? exit.failed : exit.ok;
  },

  async show(path: string | undefined, _values: Values, terminal: Terminal): Promise<number> {
    if (path === undefined) throw new UsageError('data show takes a file, for example: npx posthorn data show ./data/core.numbers.json');
    const { readEncrypted } = await import('../../core/adapters/store/index.js');
    const { bytes, damages } = await readEncrypted(resolve(terminal.cwd, path), secretKeys());
    if (!bytes) throw new CommandFailed(`${path} does not exist`, { next: 'npx posthorn help data' });
    if (terminal.file) terminal.file(bytes);
    else terminal.out(bytes.toString().replace(/\n$/, ''));
    for (const damage of damages) terminal.err(`${path}: ${damage}`);
    return damages.length > 0 ? exit.failed : exit.ok;
  },

  async move(folder: string | undefined, values: Values, terminal: Terminal): Promise<number> {
    const { shards, schema, back = false } = values;
    if (folder === undefined && (back || shards === undefined))
      throw new UsageError('data move takes a folder, for example: npx posthorn data move ./data; without one, --shards N');
    if (back && shards !== undefined) throw new UsageError('data move --back takes no --shards: a folder has no shards');
    const url = process.env[URL_VARIABLE];
    const { urlRefusal } = await import('../server/shared-store.js');
    const refusal = url === undefined ? 'postgres://user:password@host/database' : urlRefusal(url);
    if (url === undefined || refusal !== undefined) throw new UsageError(`set ${URL_VARIABLE} to the database: ${refusal}`);
    const direction: DataMove['direction'] = folder === undefined ? 'shards' : back ? 'to_folder' : 'to_database';
    const [{ moveData }, { knownPlugins }] = await Promise.all([
      import('../../plugins/cluster/move/data-move.js'),
      import('../server/known-plugins.js'),
    ]);
    const report = await moveData({
      direction,
      url,
      schema,
      shards,
      folder: folder && resolve(terminal.cwd, folder),
      plugins: await knownPlugins(terminal.cwd),
      log: loggerOf(terminal),
      onProgress: progressPrinter(terminal),
    });
    if (values.json) terminal.out(JSON.stringify({ v: 1, ...report }));
    else printMove(report, nextSteps[direction](folder ?? ''), terminal);
    return exit.ok;
  },
};

function optionsOf(verb: string, folder: string | undefined, values: Values): CheckOptions {
  if (folder === undefined) throw new UsageError(`data ${verb} takes a folder, for example: npx posthorn data ${verb} ./data`);
  const keys = secretKeys();
  return { hasOwnKey: (values['own-key'] ?? false) || keys.length > 0, secretKeys: keys, ownFiles: notesCheck(folder) };
}

/** The keys of the environment, the current one first. */
function secretKeys(): string[] {
  const { [KEY_VARIABLE]: current, [PREVIOUS_KEYS_VARIABLE]: previous } = process.env;
  const keys = [current, ...(previous?.split(',') ?? [])].flatMap((key) => key?.trim() || []);
  if (keys.some((key) => !/^[0-9a-f]{64}$/i.test(key)))
    throw new UsageError(`${KEY_VARIABLE} and each key in ${PREVIOUS_KEYS_VARIABLE} must have 64 hexadecimal digits`);
  return keys;
}

const nextSteps: Readonly<Record<DataMove['direction'], (folder: string) => readonly string[]>> = {
  to_database: (folder) => [
    `Start the platform with postgresStore or createCluster, secretKey with the content of ${folder}/secrets.key, and dataDir: its media`,
    `folder is used on. ${folder} is unchanged: do not start a platform with it as its store any more.`,
  ],
  to_folder: (folder) => [
    `Start the platform with dataDir ${folder}, the same secretKey, and the media folder in ${folder}/media.`,
    'The database is unchanged: do not start a platform with it any more.',
  ],
  shards: () => ['Start all processes with the new number of shards.'],
};
