/** What is on disk is not what was written. Nothing has been changed. */
export class DataDamaged extends Error {
  override readonly name = 'DataDamaged';
  readonly file: string;
  readonly line: number | undefined;

  constructor(file: string, line: number | undefined, damage: string, advice: string) {
    super(`${file}${line === undefined ? '' : `, line ${line}`}: ${damage}. Nothing has been changed. ${advice}`);
    this.file = file;
    this.line = line;
  }
}
