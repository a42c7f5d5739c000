import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A page of the project and where it points to, outside of its code blocks. */
export interface Page {
  readonly file: string;
  readonly links: readonly { readonly to: string; readonly exists: boolean }[];
}

/** Every page beside the code, and the one at the top. Addresses on the web are not followed. */
export function pages(): Page[] {
  const below = ['core', 'plugins', 'sandbox'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  );
  return ['README.md', 'SECURITY.md', ...below].filter((file) => existsSync(file)).map((file) => ({ file, links: linksOf(file) }));
}

function linksOf(file: string): Page['links'] {
  const prose = readFileSync(file, 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to!).filter((to) => !/^https?:/.test(to));
  return targets.map((to) => ({ to, exists: existsSync(join(dirname(file), to.replace(/#.*/, ''))) }));
}
