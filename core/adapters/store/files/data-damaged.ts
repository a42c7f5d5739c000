import { dirname } from 'node:path';

/** What to do about it, where the command line can help. */
export const repairOf = (folder: string): string =>
  `Restore the folder from a backup; or copy it, and let \`posthorn data repair ${folder}\` keep everything that can be read and set the rest aside in a file.`;

/** What is on disk is not what was written. Nothing has been changed. */
export class DataDamaged extends Error {
  override readonly name = 'DataDamaged';
  readonly file: string;
  readonly line: number | undefined;
  readonly damage: string;

  constructor(file: string, line: number | undefined, damage: string, advice = repairOf(dirname(file))) {
    super(`${file}${line === undefined ? '' : `, line ${line}`}: ${damage}. Nothing has been changed. ${advice}`);
    this.file = file;
    this.line = line;
    this.damage = damage;
  }
}
