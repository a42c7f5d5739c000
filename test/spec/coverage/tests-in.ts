import { readdirSync, readFileSync } from 'node:fs';

/**
 * The tests in the sources, as rows name them: `test/core/delivery/retry.test.ts > the title`. A title with a placeholder is listed as
 * in the source. Tests that are commented out or always skipped are not listed, so that no row relies on them.
 */
export function testsIn(files: readonly { readonly path: string; readonly text: string }[]): Set<string> {
  return new Set(files.flatMap(({ path, text }) => titles(text).map((title) => `${path} > ${title}`)));
}

/** Path and text of every test file below a folder. */
export function testFiles(folder: string): { path: string; text: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

const call = /^[ \t]*(?:void |await )?t\.test\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1(?!\s*,\s*\{\s*(?:skip|todo): (?:true|['"`]))/gm;

function titles(text: string): string[] {
  return [...text.matchAll(call)].map(([, , title = '']) => title.replace(/\\(.)/g, '$1'));
}
