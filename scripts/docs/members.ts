import { readFileSync } from 'node:fs';

/** A member of an interface, with its doc comment in one line. */
export interface Member {
  readonly name: string;
  readonly text: string;
}

/** The members of an interface, in the order of its source. @throws when the file has no such interface */
export function membersOf(file: string, name: string): Member[] {
  const source = readFileSync(file, 'utf8');
  const body = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(source)?.[1];
  if (body === undefined) throw new Error(`${file} has no interface ${name}`);
  const found = [...body.matchAll(/^ {2}(?:\/\*\*([\s\S]*?)\*\/\n(?: {2}\/\/.*\n)? {2})?(?:readonly )?(\w+)\??(?:: |\()/gm)];
  return found.map(([, comment, member]) => ({ name: member!, text: oneLine(comment ?? '') }));
}

/** The text of a doc comment in one line. */
export const oneLine = (comment: string): string =>
  comment
    .replaceAll(/^\s*\*(?!\/) ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
