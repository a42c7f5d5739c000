import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { VerbCall, VerbResult } from './run-verb.js';

interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
  read(verb: (call: VerbCall) => Promise<VerbResult>): Promise<string> | string;
}

/** The package, or the checkout: pages are shipped beside the build. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Folders with pages besides those named README.md. */
const PAGE_FOLDERS = ['core', 'sandbox', 'sandbox/recipes'];

let known: readonly Resource[] | undefined;

/** Every resource: the OpenAPI documents, the tables of blocks and functions, and the pages. */
export function resources(): readonly Resource[] {
  known ??= [
    openApi('posthorn://openapi', 'OpenAPI of the API', {}),
    openApi('posthorn://openapi/admin', 'OpenAPI of the admin API', { admin: true }),
    table('posthorn://blocks', 'Blocks of journeys', 'Every block with its settings and an example.', 'plugins/journeys/engine/README.md'),
    table(
      'posthorn://functions',
      'Functions of expressions',
      'Every function with its arguments and an example.',
      'plugins/journeys/engine/expression/README.md',
    ),
    ...pages(),
  ];
  return known;
}

const openApi = (uri: string, name: string, flags: NonNullable<VerbCall['flags']>): Resource => ({
  uri,
  name,
  description: `${name}, version 3.1.`,
  mimeType: 'application/json',
  async read(verb) {
    const { code, out, err } = await verb({ verb: ['openapi'], flags });
    if (code !== 0) throw new Error(err);
    return out;
  },
});

/** The generated part of a page that has the name of the table. */
const table = (uri: string, name: string, description: string, page: string): Resource => ({
  uri,
  name,
  description,
  mimeType: 'text/markdown',
  read() {
    const part = basename(uri);
    const found = new RegExp(`<!-- generated: ${part} -->([\\s\\S]*?)<!-- end -->`).exec(readFileSync(join(ROOT, page), 'utf8'))?.[1];
    if (found === undefined) throw new Error(`${page} has no table of ${part}`);
    return `# ${name}\n${found}`;
  },
});

function pages(): Resource[] {
  const files = ['core', 'plugins', 'sandbox'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
      .filter((file) => file.endsWith('/README.md') || (file.endsWith('.md') && PAGE_FOLDERS.includes(dirname(file)))),
  );
  return ['README.md', 'CHANGELOG.md', ...files.sort()].map((file) => {
    const read = (): string => readFileSync(join(ROOT, file), 'utf8');
    const title = /^# (.+)$/m.exec(read())?.[1] ?? file;
    return { uri: `posthorn://pages/${file}`, name: file, description: title, mimeType: 'text/markdown', read };
  });
}
