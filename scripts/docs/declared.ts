import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { oneLine } from './members.js';

/** A member of a type: its signature, and its doc comment in one line. */
export interface DeclaredMember {
  readonly name: string;
  readonly signature: string;
  readonly text: string;
}

/** Writes the declarations of files, and of all that they import, to a folder, at their paths. Does not check the types. */
export function emitDeclarations(folder: string, files: readonly string[]): void {
  const root = resolve('.');
  const emitted = { noEmit: false, noCheck: true, declaration: true, emitDeclarationOnly: true, rootDir: root, outDir: folder };
  const compilerOptions = { ...emitted, typeRoots: [join(root, 'node_modules/@types')] };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files: files.map((file) => join(root, file)) };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', folder], { env: { ...process.env, NODE_OPTIONS: '' } });
}

/** The declarations of files and of their imports as the compiler emits them, so that types which it infers are written out. */
class Declarations {
  readonly #folder = mkdtempSync(join(tmpdir(), 'posthorn-declarations-'));

  constructor(entries: readonly string[]) {
    emitDeclarations(this.#folder, entries);
    process.once('exit', () => rmSync(this.#folder, { recursive: true, force: true }));
  }

  /**
   * The members of a type as a file names it: an interface, what a function returns (`ReturnType`), or a part of either (`Pick`). Undefined
   * for a type of another kind. @throws Error if there is no such type
   */
  membersOf(file: string, type: string): readonly DeclaredMember[] | undefined {
    const [, whole, names = ''] = /^Pick<(\w+), ([^>]*)>$/.exec(type) ?? [];
    if (whole !== undefined) return this.membersOf(file, whole)?.filter(({ name }) => names.includes(`'${name}'`));
    if (!/^[A-Z]\w*$/.test(type)) return undefined;
    const declaring = this.#fileOf(file, type);
    const text = this.#text(declaring);
    const declared = new RegExp(`^(?:export )?interface ${type}\\b(?:<[^<>{]*>)?(?: extends ([^{]*))? \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(
      text,
    );
    if (declared) {
      const bases = declared[1]?.match(/Pick<[^>]*>|\w+(?=<|,|$)/g) ?? [];
      return merged(
        bases.flatMap((base) => this.membersOf(declaring, base)!),
        membersIn(declared[2]!),
      );
    }
    const alias = new RegExp(`^export type ${type} = (.*);$`, 'm').exec(text)?.[1];
    if (alias === undefined) throw new Error(`${declaring} does not declare ${type}`);
    const creator = /^ReturnType<typeof (\w+)>$/.exec(alias)?.[1];
    if (creator === undefined) return this.membersOf(declaring, alias);
    const returned = new RegExp(`^export declare function ${creator}\\([\\s\\S]*?\\): \\{\\n([\\s\\S]*?)^\\};`, 'm').exec(text)?.[1];
    return returned === undefined ? undefined : membersIn(returned);
  }

  /**
   * The forms of a type that is a union of objects, each as one member: its signature is the object. A name in the union stands for the
   * interface of this file. @throws Error if there is no such type
   */
  formsOf(file: string, type: string): readonly DeclaredMember[] {
    const text = this.#text(file);
    const named = new RegExp(`^export type ${type} = (\\w+(?: \\| \\w+)*);$`, 'm').exec(text)?.[1];
    const bodies =
      named === undefined
        ? [...(new RegExp(`^export type ${type} =([\\s\\S]*?)^\\};`, 'm').exec(text)?.[1] ?? '').matchAll(FORM)]
        : named.split(' | ').map((name) => new RegExp(`${COMMENT}export interface ${name} \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(text)!);
    if (bodies.length === 0) throw new Error(`${file} has no union ${type}`);
    return bodies.map(([, comment = '', body = '']) => {
      const members = [...membersIn(body)];
      if (/^ {4}readonly \[/m.test(body)) members.push({ name: '', signature: '…', text: '' });
      return {
        name: /kind: (\S+)/.exec(body)![1]!,
        signature: `{ ${members.map(({ signature }) => signature).join('; ')} }`,
        text: oneLine(comment),
      };
    });
  }

  /** The parameters of a function, with the texts of `@param` in its doc comment. @throws Error if there is no such function */
  parametersOf(file: string, name: string): readonly DeclaredMember[] {
    const found = new RegExp(`${COMMENT}export declare const ${name}: \\((.*)\\) => `, 'm').exec(this.#text(file));
    if (!found) throw new Error(`${file} has no function ${name}`);
    const [, comment = '', parameters = ''] = found;
    return [...oneLine(comment).matchAll(/@param (\w+) (.*?)(?= @|$)/g)].map(([, parameter = '', text = '']) => {
      const type = new RegExp(`\\b${parameter}: ((?:\\[[^\\]]*\\]|[^\\[])*?)(?=, \\w+: |$)`).exec(parameters)?.[1];
      return { name: parameter, signature: plain(`${parameter}: ${type}`), text };
    });
  }

  /** The file that declares a type which another one uses. */
  #fileOf(file: string, type: string): string {
    for (const [, names, from] of this.#text(file).matchAll(/^import (?:type )?\{([^}]*)\} from '(\.[^']*)\.js';/gm)) {
      const isListed = names!.split(',').some((name) => name.trim().replace(/^type /, '') === type);
      if (isListed) return join(file, '..', from!);
    }
    return file;
  }

  #text(file: string): string {
    return readFileSync(join(this.#folder, `${file}.d.ts`), 'utf8');
  }
}

let shared: Declarations | undefined;

/** The declarations for authors of plugins. The compiler takes seconds, so it runs once. */
export const declarations = (): Declarations => {
  shared ??= new Declarations(['core/index.ts', 'plugins/journeys/plugin.ts']);
  return shared;
};

const COMMENT = String.raw`(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?`;
const FORM = new RegExp(`${COMMENT}(?:\\| )?\\{\\n([\\s\\S]*?)(?=^\\}|(?![\\s\\S]))`, 'gm');

/** Own members after inherited ones, which they replace. */
const merged = (inherited: readonly DeclaredMember[], own: readonly DeclaredMember[]): DeclaredMember[] => [
  ...inherited.filter(({ name }) => !own.some((member) => member.name === name)),
  ...own,
];

/** The members in the body of a type: each a doc comment, and a signature up to the semicolon at its end. */
function membersIn(body: string): DeclaredMember[] {
  const found = [
    ...body.matchAll(/^ {4}(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {4})?((?:readonly )?(\w+)[?<(:](?:.*;$|.*\n(?: {5,}.*\n)* {4}\S.*;$))/gm),
  ];
  return found.map(([, comment = '', signature = '', name = '']) => ({ name, signature: plain(signature), text: oneLine(comment) }));
}

/** A signature in one line, as people write it: without `readonly`, and a parameter by the name of its type instead of its parts. */
const plain = (signature: string): string =>
  signature
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\breadonly /g, '')
    .replaceAll(/import\("[^"]+"\)\./g, '')
    .replaceAll(
      /\{ [\w ,:]+ \}(\??): ([A-Z])(\w*)/g,
      (_, optional, first, rest) => `${first.toLowerCase()}${rest}${optional}: ${first}${rest}`,
    )
    .replaceAll(/; \}/g, ' }')
    .replace(/;$/, '');
