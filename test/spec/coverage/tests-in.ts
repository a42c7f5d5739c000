import { readdirSync, readFileSync } from 'node:fs';

/**
 * The tests of the sources, as rows name them: `test/core/delivery/retry.test.ts > the sentence`. A sentence with a part that is
 * filled in stands as in the source. What is commented out or always skipped is no test.
 */
export function testsIn(files: readonly { readonly path: string; readonly text: string }[]): Set<string> {
  return new Set(files.flatMap(({ path, text }) => sentences(text).map((sentence) => `${path} > ${sentence}`)));
}

/** Every test file below a folder. */
export function testFiles(folder: string): { path: string; text: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

const call = /^[ \t]*(?:void |await )?t\.test\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1(?!\s*,\s*\{\s*(?:skip|todo): (?:true|['"`]))/gm;

function sentences(text: string): string[] {
  return [...text.matchAll(call)].map(([, , sentence = '']) => sentence.replace(/\\(.)/g, '$1'));
}
