import { dirname } from 'node:path';

/** Advice for a damaged folder. */
export const repairOf = (folder: string): string =>
  `Restore the folder from a backup. Or copy it and run \`npx posthorn data repair ${folder}\`, which keeps everything readable and moves the rest to a separate file.`;

/** The data on disk differs from what the store wrote. The store has changed nothing. */
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
