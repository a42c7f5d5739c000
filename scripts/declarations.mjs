// Removes the declarations that no subpath of the package reaches, such as those of the command line: users cannot import them.
import { readFileSync, rmSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { filesIn, root } from './compile.mjs';

const IMPORTED = /\b(?:from|import)\s*\(?\s*["']([^"']+)["']/g;

export function pruneDeclarations(outdir) {
  const { name, exports, imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const typesOf = (compiled) => normalize(compiled).replace(/\.js$/, '.d.ts');
  const subpaths = new Map(
    Object.entries(exports).flatMap(([subpath, { types }]) => (types ? [[subpath.replace('.', name), normalize(types)]] : [])),
  );
  const aliases = new Map([...subpaths, ...Object.entries(imports).map(([alias, compiled]) => [alias, typesOf(compiled)])]);
  const reached = new Set();
  const visit = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, specifier] of readFileSync(join(root, file), 'utf8').matchAll(IMPORTED)) {
      const target = specifier.startsWith('.') ? typesOf(join(file, '..', specifier)) : aliases.get(specifier);
      if (target) visit(target);
    }
  };
  for (const file of subpaths.values()) visit(file);
  for (const file of filesIn(outdir, '.d.ts')) if (!reached.has(file)) rmSync(join(root, file));
}
