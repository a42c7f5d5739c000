import type { BackupOptions, BackupReport, RestoreReport } from '../../core/adapters/store/index.js';
import { ownCommand } from '../../core/own-command.js';
import type { Terminal } from '../terminal/terminal.js';

const EVERY_MS = 2_000;
const MAX_FILES = 5;
/** The files that give access to the platform and its secrets. */
const SECRET = ['secrets.key', 'sandbox.json'];

/** Prints on standard error how far a long backup or restore is, every two seconds. */
export function backupProgressPrinter(terminal: Terminal): NonNullable<BackupOptions['onProgress']> {
  let printedAt = performance.now();
  return ({ bytes, totalBytes }) => {
    if (performance.now() - printedAt < EVERY_MS) return;
    printedAt = performance.now();
    terminal.err(`copying and verifying: ${Math.min(99, Math.floor((100 * bytes) / totalBytes))} % of ${sizeOf(totalBytes)}`);
  };
}

export function printBackup(report: BackupReport, terminal: Terminal): void {
  const { backup, folder, through, earlier, linked_bytes, copied_bytes } = report;
  terminal.out(`Backed up ${folder} as of transaction ${through} to ${backup}: ${contentOf(report)}.`);
  if (earlier !== undefined) {
    const shared =
      linked_bytes > 0
        ? `shares ${sizeOf(linked_bytes)} with the previous backup, and adds`
        : 'shares nothing with the previous backup, and takes';
    terminal.out(`It ${shared} ${sizeOf(copied_bytes)}.`);
  }
  printMedia(report, terminal);
  printSecrets(report, terminal);
  terminal.out(`To restore it: ${ownCommand()} data restore ${backup} NEW-FOLDER`);
}

export function printRestore(report: RestoreReport, terminal: Terminal): void {
  terminal.out(`Restored ${report.backup}, as of transaction ${report.through}, to ${report.folder}: ${contentOf(report)}.`);
  printMedia(report, terminal);
  terminal.out(`Start the platform with ${report.folder} as its data folder (dataDir, or sandbox --data).`);
  terminal.out('Deliveries that were made after the backup are pending in it, and are made again.');
}

const contentOf = ({ files, bytes, media_files: media }: RestoreReport): string =>
  `${files} ${files === 1 ? 'file' : 'files'}, ${media} of them media, ${sizeOf(bytes)}; all checksums match`;

function printMedia({ damaged_media: damaged, backup }: RestoreReport, { out }: Terminal): void {
  if (damaged.length === 0) return;
  out(
    `${damaged.length} media ${damaged.length === 1 ? 'file is' : 'files are'} damaged, and not copied; the platform answers 404 for them:`,
  );
  for (const file of damaged.slice(0, MAX_FILES)) out(`  ${file}`);
  if (damaged.length > MAX_FILES) out(`  and ${damaged.length - MAX_FILES} more; --json shows all`);
  out(`Copy them from an earlier backup than ${backup}, or delete them. Everything else is complete.`);
}

function printSecrets({ other_files, folder }: RestoreReport, { out }: Terminal): void {
  const secret = other_files.filter((name) => SECRET.includes(name));
  if (secret.length > 0)
    out(`It contains ${secret.join(' and ')}: who can read the backup has the secrets and tokens of the platform. Keep it secret.`);
  if (!secret.includes('secrets.key'))
    out(`${folder} has no secrets.key: a restored platform needs the same secretKey, which is not in the backup.`);
}

function sizeOf(bytes: number): string {
  if (bytes < 1 << 20) return `${Math.ceil(bytes / 1024)} KiB`;
  return `${(bytes / (1 << 20)).toFixed(1)} MiB`;
}
