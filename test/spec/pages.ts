import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A page of the project, and the links outside of its code blocks. */
export interface Page {
  readonly file: string;
  /** A link exists when its file does, and the heading that it names after `#`. */
  readonly links: readonly { readonly to: string; readonly exists: boolean }[];
}

/** The pages at the top. */
const TOP = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

/** Every page of the project. Links to the web are not checked. */
export function pages(): Page[] {
  const below = ['core', 'plugins', 'sandbox'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      // Transcripts that tests compare, not pages.
      .filter((name) => name.endsWith('.md') && !name.includes('__snapshots__'))
      .map((name) => join(folder, name)),
  );
  return [...TOP, ...below].filter((file) => existsSync(file)).map((file) => ({ file, links: linksOf(file) }));
}

function linksOf(file: string): Page['links'] {
  const prose = withoutCode(readFileSync(file, 'utf8'));
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(([, link, image]) => link ?? image!);
  return targets
    .filter((to) => !/^https?:/.test(to))
    .map((to) => {
      const [path = '', anchor] = to.split('#');
      const target = path === '' ? file : join(dirname(file), path);
      return { to, exists: existsSync(target) && (anchor === undefined || anchorsOf(target).has(anchor)) };
    });
}

/** The names by which headings of a page are linked to. */
export function anchorsOf(file: string): Set<string> {
  const headings = [...withoutCode(readFileSync(file, 'utf8')).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => slugOf(heading!));
  const seen = new Map<string, number>();
  return new Set(
    headings.map((slug) => {
      const times = seen.get(slug) ?? 0;
      seen.set(slug, times + 1);
      return times === 0 ? slug : `${slug}-${times}`;
    }),
  );
}

/** A heading as the address bar has it: small letters, no signs, a dash for each blank. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

const withoutCode = (page: string): string => page.replaceAll(/^```[\s\S]*?^```$/gm, '');
