/** What to do about it, where the command line can help. */
export const REPAIR =
  'Restore the folder from a backup; or let `posthorn data repair` keep everything that can be read, and set the rest aside in a file.';

/** What is on disk is not what was written. Nothing has been changed. */
export class DataDamaged extends Error {
  override readonly name = 'DataDamaged';
  readonly file: string;
  readonly line: number | undefined;
  readonly damage: string;

  constructor(file: string, line: number | undefined, damage: string, advice: string = REPAIR) {
    super(`${file}${line === undefined ? '' : `, line ${line}`}: ${damage}. Nothing has been changed. ${advice}`);
    this.file = file;
    this.line = line;
    this.damage = damage;
  }
}
