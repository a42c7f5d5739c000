import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Hapi from '@hapi/hapi';
import t from 'tap';
import { createPlatform } from '#core';
import { describedPlugins } from '../../../sandbox/server/described-plugins.js';
import { routesOf } from '../../../scripts/docs/everything.js';

const APP = 'plugins/console/app';
const sources = readdirSync(APP, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }));

/** The texts of literals, with `{}` in place of values, and without the query, which may be a value at the end. */
const literalsIn = (code: string): string[] =>
  [...code.matchAll(/'(\/[^']*)'|`(\/[^`]*)`/g)].map(([, plain, template]) =>
    (plain ?? template)!.replaceAll(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, '{}').replace(/\?.*|(?<=\w)\{\}$/, ''),
  );

/** The paths of the object literal after `method: 'POST'`. A path that is a variable has its literals in the same file. */
function pathsAfter(text: string, at: number): string[] {
  const rest = text.slice(at, at + 400).match(/\bpath(?::\s*((?:[^,`'}]|'[^']*'|`[^`]*`)*)|(?=[,\s]))/);
  const expression = rest?.[1] ?? 'path';
  const own = literalsIn(expression);
  if (own.length > 0) return own;
  const name = /^\w+/.exec(expression)?.[0];
  return [...text.matchAll(new RegExp(`(?:const|readonly) ${name}\\b(?:: \\w+)? = ([^;]*);`, 'g'))].flatMap(([, code]) =>
    literalsIn(code!),
  );
}

interface Changing {
  readonly file: string;
  readonly method: string;
  readonly paths: readonly string[];
}

/** Paths that another file of the same page gives to the component. */
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  'pages/numbers/features.tsx': ['/network/numbers/{}/policy'],
  'pages/numbers/tokens.tsx': ['/numbers/{}/tokens/{}'],
  'pages/inbox/contact-messages.ts': ['/network/numbers/{}/messages', '/channels/{}/messages'],
};

const calls = sources.flatMap(({ file, text }): Changing[] => {
  const byObject = [...text.matchAll(/\bmethod: '(POST|PUT|PATCH|DELETE)'/g)].map(({ 1: method, index }) => {
    const paths = pathsAfter(text, index);
    return { file, method: method!, paths: paths.length > 0 ? paths : (GIVEN[file.slice(APP.length + 1)] ?? []) };
  });
  const direct = [...text.matchAll(/\badmin(?:<[^(]*>)?\(\s*'(POST|PUT|PATCH|DELETE)',\s*(`[^`]*`|'[^']*'|[\w.]+)/g)].map(
    ([, method, path]) => ({
      file,
      method: method!,
      paths: /^[`']/.test(path!) ? literalsIn(path!) : (GIVEN[file.slice(APP.length + 1)] ?? []),
    }),
  );
  const uploads = [...text.matchAll(/\bupload(?:<[^(]*>)?\(\s*(`[^`]*`|'[^']*')/g)].map(([, path]) => ({
    file,
    method: 'POST',
    paths: literalsIn(path!),
  }));
  return [...byObject, ...direct, ...uploads];
});

/** Starter code that the console shows, which calls no route of the admin API. */
const SHOWN = ['components/copy.tsx', 'exports/har.ts', 'pages/channels/starters.ts'].map((file) => join(APP, file));

const isParameter = (part: string): boolean => part.startsWith('{');
function fits(route: string, path: string): boolean {
  const [parts, segments] = [route.split('/'), path.split('/')];
  return (
    parts.length === segments.length && parts.every((part, i) => isParameter(part) || isParameter(segments[i]!) || part === segments[i])
  );
}

async function adminRoutes() {
  const platform = createPlatform({ plugins: describedPlugins(), admin: { key: 'key-of-a-platform-that-is-never-called' } });
  const server = Hapi.server();
  await server.register(platform.hapiPlugin);
  return routesOf(server)
    .filter(({ isAdmin }) => isAdmin)
    .map(({ route }) => route);
}

t.test('every call of the console that changes something is a route with a permission', async (t) => {
  const routes = await adminRoutes();
  const made = calls.filter(({ file }) => !SHOWN.includes(file));
  t.ok(made.length > 80, `${made.length} calls`);
  for (const { file, method, paths } of made) {
    if (paths.length === 0) t.fail(`${file} has a ${method} whose path is no literal, so its permission is unknown`);
    for (const path of paths) {
      const found = routes.filter((route) => route.method === method && fits(route.path, path));
      t.ok(found.length > 0, `${file}: ${method} ${path} is a route`);
      t.notOk(
        found.some(({ permission }) => permission === undefined),
        `${file}: ${method} ${path} needs a permission`,
      );
    }
  }
});

/** Controls that are disabled for operators who may not make their call. */
const CONTROLS = /\b(controlOf|refusalOf|whyNotWritten)\(|<(ActButton|ActForm|ToolAction|ToolButton|ActionMenu)\b/;
/** Modules without controls, and reads that the page makes by itself, such as checks of a text; `admin` refuses what is not allowed. */
const WITHOUT_CONTROLS = [
  'components/copy.tsx',
  'data/sign-out.ts',
  'exports/har.ts',
  'pages/channels/starters.ts',
  'pages/flows/phone-frame.tsx',
  'pages/journeys/canvas.ts',
  'pages/journeys/draft.ts',
  'pages/journeys/graph-tab.tsx',
  'pages/journeys/text-tab.tsx',
  'pages/journeys/simulator/recording.ts',
  'pages/journeys/simulator/simulation.ts',
  'pages/inbox/contact-messages.ts',
  'components/conformance/runs.ts',
  'pages/inbox/message-sheet.tsx',
].map((file) => join(APP, file));

t.test('every file of the console that makes such a call disables its control without the permission', async (t) => {
  for (const file of new Set(calls.map(({ file }) => file))) {
    if (WITHOUT_CONTROLS.includes(file)) continue;
    t.match(sources.find((one) => one.file === file)!.text, CONTROLS, file);
  }
});

t.test('what deletes asks first', async (t) => {
  const deleting = calls.filter(({ file, method }) => method === 'DELETE' && !file.endsWith('sign-out.ts')).map(({ file }) => file);
  t.ok(deleting.length > 8, `${deleting.length} calls`);
  for (const file of deleting) t.match(sources.find((one) => one.file === file)!.text, /\bconfirm=|\bconfirm:|<ConfirmSheet\b/, file);
});

t.test('a path of one route fits no other route with another permission: pages find the permission of a call by its path', async (t) => {
  const routes = await adminRoutes();
  const twins = routes.flatMap((a) =>
    routes
      .filter((b) => a !== b && a.method === b.method && a.permission !== b.permission && fits(a.path, b.path))
      .filter((b) => !b.path.split('/').some((part, i) => isParameter(part) && !isParameter(a.path.split('/')[i]!)))
      .map((b) => `${a.method} ${a.path} and ${b.path}`),
  );
  t.strictSame(twins, []);
});
