import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';

/** A code block of a page: language, name and code. */
export interface Block {
  readonly language: string;
  readonly name: string;
  readonly code: string;
}

export const blocksOf = (file: string): Block[] =>
  [...readFileSync(file, 'utf8').matchAll(/^```([a-z]*)(?: (.+))?\n([\s\S]*?)^```$/gm)].map(([, language = '', name = '', code = '']) => ({
    language,
    name,
    code,
  }));

/** The code of a block. @throws when the page has no such block */
export function sample(file: string, language: string, name: string): string {
  const block = blocksOf(file).find((one) => one.language === language && one.name === name);
  if (!block) throw new Error(`${file} has no block '${language} ${name}'`);
  return block.code;
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads arbitrary JSON
export const sampleJson = (file: string, name: string): any => JSON.parse(sample(file, 'json', name));

/** Loads a sample as a module of the compiled copy, where `posthorn` is this project. */
export async function loadSample(
  file: string,
  language: 'ts' | 'js',
  name: string,
  change: (code: string) => string = (code) => code,
): Promise<Record<string, unknown>> {
  const folder = join(import.meta.dirname, '../../samples');
  const { code } = await transform(change(sample(file, language, name)), { loader: language, format: 'esm' });
  const at = join(folder, `${`${file} ${name}`.replaceAll(/[^a-z]+/gi, '-')}.js`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(at, code);
  return import(pathToFileURL(at).href);
}
