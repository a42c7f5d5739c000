import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import * as core from '#core';

interface Exported {
  readonly name: string;
  readonly isType: boolean;
  /** The file with the declaration. */
  readonly file: string;
}

const sourceOf = (file: string, specifier: string): string => join(dirname(file), specifier.replace(/\.js$/, '.ts'));

/** The exports of a module, with re-exports resolved to the file that declares them. */
function exportsOf(file: string): Exported[] {
  const text = readFileSync(file, 'utf8');
  const declared = [...text.matchAll(/^export (?:async )?(const|function|class|interface|type) (\w+)/gm)].map(([, kind, name]) => ({
    name: name!,
    isType: kind === 'interface' || kind === 'type',
    file,
  }));
  const handedOn = [...text.matchAll(/^export (type )?\{([^}]*)\} from '([^']+)'/gm)].flatMap(([, allTypes, names, specifier]) =>
    names!
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean)
      .map((name) => {
        const original = name.replace(/^type /, '').split(' as ')[0]!;
        const from = exportsOf(sourceOf(file, specifier!)).find((one) => one.name === original);
        return from ?? { name: original, isType: Boolean(allTypes) || name.startsWith('type '), file: sourceOf(file, specifier!) };
      }),
  );
  return [...declared, ...handedOn];
}

const isDescribed = ({ name, file }: Exported): boolean =>
  new RegExp(`\\*/\\nexport (?:async )?(?:const|function\\*?|class|interface|type) ${name}\\b`).test(readFileSync(file, 'utf8'));

const pluginEntries = readdirSync('plugins').map((folder) => `plugins/${folder}/plugin.ts`);

t.test('every exported name has a docstring', async (t) => {
  const entries = [
    'core/index.ts',
    'core/basics.ts',
    'core/messaging/index.ts',
    'core/shape.ts',
    'core/testing/index.ts',
    'core/signature.ts',
    'sandbox/compose.ts',
    ...pluginEntries,
  ];
  for (const entry of entries) {
    const exported = exportsOf(entry);
    t.ok(exported.length > 0, entry);
    for (const one of exported) t.ok(isDescribed(one), `${one.file}: ${one.name}`);
  }
});

t.test('every type in an exported signature has an exported name', (t) => {
  const names = exportsOf('core/index.ts').map(({ name }) => name);
  for (const name of ['DeliveryOptions', 'NewOutbound']) t.ok(names.includes(name), name);
  t.end();
});

t.test('an export without a docstring is found', async (t) => {
  const silent = exportsOf('core/platform/ports.ts').find(({ name }) => name === 'portRecipes')!;
  t.notOk(isDescribed(silent));
});

t.test('every exported value except events and errors is used by a plugin, a command or a page', async (t) => {
  const users = ['plugins', 'sandbox', 'core/testing'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ts|md)$/.test(file))
      .map((file) => join(folder, file)),
  );
  const used = [...users, 'README.md', 'core/kernel/README.md'].map((file) => readFileSync(file, 'utf8')).join('\n');
  const values = Object.entries(core).filter(([, value]) => !isEvent(value) && !isError(value));
  t.ok(values.length > 30);
  for (const [name] of values) t.match(used, new RegExp(`\\b${name}\\b`), name);
});

const isEvent = (value: unknown): boolean => typeof value === 'object' && value !== null && 'description' in value && 'name' in value;
const isError = (value: unknown): boolean => typeof value === 'function' && value.prototype instanceof Error;
