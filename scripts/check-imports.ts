import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { code, table } from './docs/table.js';
import { engine, faces, homes, insiders, loaders, rules } from './import-rules.js';
import { COMPUTED, needsIn, type Specifiers, specifiersIn } from './read-code.js';

export interface Source {
  readonly path: string;
  readonly text: string;
}

/** Every violation of the rules and every import cycle, as sentences. */
export function breaches(sources: readonly Source[]): string[] {
  const graph = new Map<string, string[]>();
  const found: string[] = [];
  const paths = new Set(sources.map(({ path }) => path));
  const needs = new Map(sources.flatMap(({ path, text }) => (isDoor(path) ? [[folderOf(path), neededFolders(text)] as const] : [])));
  const withEnding = (target: string): string => (paths.has(`${target}x`) ? `${target}x` : target);
  for (const source of sources) {
    const { path } = source;
    const { imports, started } = specifiersOf(source);
    graph.set(path, imports.map(withEnding));
    const rule = rules.find(({ from }) => from.test(path));
    for (const target of [...imports, ...started].map(withEnding)) {
      // The engine imports none of the other files of its plugin.
      const isOwnFolder = path.startsWith('plugins/') && !engine.test(path) && target.startsWith(`${folderOf(path)}/`);
      const isNeeded = isDoor(target) && needs.get(folderOf(path))?.has(folderOf(target));
      const home = /^(core|plugins\/cluster)\//.test(path) ? homes[target.split('/')[0]!] : undefined;
      const face = faces.find(({ folder }) => target.startsWith(folder) && !path.startsWith(folder));
      const refuse = (why = ''): void => void found.push(`${path} may not import ${target}${why}`);
      if (target === COMPUTED && /^(core|plugins|sandbox)\//.test(path)) {
        if (!(path in loaders)) refuse(': name what it imports');
      } else if (home && !home.test(path)) refuse(': only its adapter imports this package');
      else if (path.startsWith('plugins/') && isDoor(target) && !isOwnFolder && !isNeeded) refuse(': its plugin does not need that plugin');
      else if (isInner(path, target) && !insiders[folderOf(path)]?.folders.includes(folderOf(target))) refuse();
      else if (!isOwnFolder && !isNeeded && !rule?.allow.some((allowed) => allowed.test(target))) refuse();
      else if (face && target !== `${face.folder}index.ts` && !face.insiders.test(path)) {
        refuse(`: other folders import ${face.folder}index.ts`);
      }
    }
  }
  return [...found, ...cycles(graph).map((cycle) => `import cycle: ${cycle.join(' -> ')}`)];
}

/** The arrows between the rooms of core, as `kernel/http -> messaging`. A room is a folder of core, or of its kernel; `core` has the files above them. */
export function arrowsIn(sources: readonly Source[]): string[] {
  const arrows = sources
    .filter(({ path }) => path.startsWith('core/'))
    .flatMap((source) =>
      importsIn(source)
        .filter((target) => target.startsWith('core/') && roomOf(target) !== roomOf(source.path))
        .map((target) => `${roomOf(source.path)} -> ${roomOf(target)}`),
    );
  return [...new Set(arrows)].sort();
}

const roomOf = (path: string): string => /^core\/((?:kernel\/)?[\w-]+)\//.exec(path)?.[1] ?? 'core';

/** Other plugins and hosts import a plugin's `plugin.ts` only, which the package exports as `posthorn/plugins/<name>`. */
const isDoor = (path: string): boolean => /^plugins\/[\w-]+\/plugin\.ts$/.test(path);

/** The room of core, or the plugin, with a file: `core` for files above the rooms. */
const folderOf = (path: string): string => /^(core|plugins)\/[\w-]+(?=\/)/.exec(path)?.[0] ?? dirname(path);

/** Whether a file of a plugin imports one that no entry point of the package exports, and that is not its own. */
const isInner = (path: string, target: string): boolean =>
  path.startsWith('plugins/') && /^(core|plugins)\//.test(target) && !isDoor(target) && folderOf(target) !== folderOf(path);

/** The folders of inner files that plugins import, as `plugins/flows -> core/web`. */
export const innerImportsIn = (sources: readonly Source[]): string[] => {
  const found = sources.flatMap((source) =>
    importsIn(source)
      .filter((target) => isInner(source.path, target))
      .map((target) => `${folderOf(source.path)} -> ${folderOf(target)}`),
  );
  return [...new Set(found)].sort();
};

/** The table of `insiders` for the page. */
export const insiderTable = (): string =>
  table(
    ['Plugin', 'Imports files of', 'Why'],
    Object.entries(insiders).map(([plugin, { folders, why }]) => [code(plugin), folders.map(code).join(', '), why]),
  );

/** The folders of the plugins that a `plugin.ts` lists in `needs` or `optional`, by their name or by the factory that it imports. */
const neededFolders = (text: string): Set<string> =>
  new Set(needsIn(text).map((one) => `plugins/${one.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`));

/** The imports of a file, with those of types: paths of project files, and specifiers of packages. */
export const importsIn = (source: Source): readonly string[] => specifiersOf(source).imports;

const read = new WeakMap<Source, Specifiers>();

function specifiersOf(source: Source): Specifiers {
  const known = read.get(source);
  if (known) return known;
  const { imports, started } = specifiersIn(source.text, { jsx: source.path.endsWith('x') });
  const paths = (specifiers: readonly string[]): string[] => specifiers.map((one) => resolved(source.path, one));
  const found = { imports: paths(imports), started: paths(started) };
  read.set(source, found);
  return found;
}

const resolved = (from: string, specifier: string): string =>
  specifier.startsWith('.') ? normalize(join(dirname(from), specifier)).replace(/\.js$/, '.ts') : specifier;

function cycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) return void found.push([...path.slice(at), file]);
    if (done.has(file)) return;
    for (const target of graph.get(file) ?? []) if (graph.has(target)) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return found;
}

export function sourcesIn(root: string): Source[] {
  return ['core', 'plugins', 'sandbox', 'scripts', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => ({ path: file.slice(root.length).replace(/^\//, ''), text: readFileSync(file, 'utf8') })),
  );
}
