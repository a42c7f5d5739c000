// Bench: the installed package beside hapi alone: its size, the CPU time to import it, and the time until its programs are ready
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { goals } from './goals/goals.js';
import { installed, packed } from './measuring/installed.js';
import { alternate } from './measuring/rounds.js';
import { median, printTable } from './measuring/table.js';

const ROUNDS = 7;
const MAX_INSTALLED_MB = 30;
const HAPI = '@hapi/hapi';
const WITH_THREE = 'posthorn, @hapi/hapi and three plugins';

interface InstalledSize {
  readonly megabytes: number;
  readonly largest: readonly (readonly [name: string, megabytes: number])[];
}
const { installedSize }: { installedSize(folder: string): InstalledSize } = await import(pathToFileURL('scripts/installed-size.mjs').href);

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: object; devDependencies: Record<string, string> };
const hapi = `@hapi/hapi@${manifest.devDependencies['@hapi/hapi']}`;
const projectIn = (folder: string): string => installed(join(folder, 'project'), [packed(folder), hapi]);

/** CPU milliseconds to import the installed package with hapi and three plugins, and hapi alone, in each round. */
export async function measureImports(rounds: number): Promise<{ readonly ours: number[]; readonly hapi: number[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
  try {
    const costs = await importCosts(projectIn(folder), { [HAPI]: imports[HAPI], [WITH_THREE]: imports[WITH_THREE] }, rounds);
    return { ours: costs.get(WITH_THREE)!, hapi: costs.get(HAPI)! };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
  const bare = installed(join(folder, 'bare'), [hapi]);
  const project = projectIn(folder);
  printSizes(bare, project);
  console.log();
  printTimes('import, CPU', await importCosts(project, imports, ROUNDS), { [WITH_THREE]: goals.import.atMost });
  console.log();
  await printStarts(folder, project);
  rmSync(folder, { recursive: true });
}

function printSizes(bare: string, project: string): void {
  const [alone, whole] = [bare, project].map((path) => installedSize(join(path, 'node_modules')));
  const row = (name: string, { megabytes }: Pick<InstalledSize, 'megabytes'>, goal = ''): string[] => [
    name,
    megabytes.toFixed(1),
    (megabytes / alone!.megabytes).toFixed(1),
    goal,
  ];
  printTable(
    ['installed', 'MB', 'ratio', 'goal'],
    [
      row('@hapi/hapi', alone!),
      row('posthorn and @hapi/hapi', whole!, goalOf(whole!.megabytes, MAX_INSTALLED_MB, 'MB')),
      ...whole!.largest.map(([name, megabytes]) => row(`  ${name}`, { megabytes })),
    ],
  );
}

const areas = Object.keys(manifest.exports).filter((subpath) => /^\.\/plugins\/[^/]+$/.test(subpath));
const imports = {
  [HAPI]: ['@hapi/hapi'],
  '@hapi/hapi and joi': ['@hapi/hapi', 'joi'],
  'posthorn/signature': ['posthorn/signature'],
  posthorn: ['posthorn'],
  'posthorn and @hapi/hapi': ['posthorn', '@hapi/hapi'],
  [WITH_THREE]: ['posthorn', '@hapi/hapi', ...['channels', 'webhooks', 'messages'].map((name) => `posthorn/plugins/${name}`)],
  'posthorn, @hapi/hapi and every plugin': ['posthorn', '@hapi/hapi', ...areas.map((area) => area.replace('.', 'posthorn'))],
} satisfies Record<string, readonly string[]>;

/** CPU milliseconds in a new process, without the start of Node, of each list of modules in each round. */
function importCosts(project: string, lists: Readonly<Record<string, readonly string[]>>, rounds: number): Promise<Map<string, number[]>> {
  return inTurns(lists, rounds, (modules) => {
    const script = `const began = process.cpuUsage();
for (const name of ${JSON.stringify(modules)}) await import(name);
const { user, system } = process.cpuUsage(began);
console.log((user + system) / 1000);`;
    return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: project, encoding: 'utf8' }));
  });
}

/** Time until the process prints something; then it is killed. */
async function printStarts(folder: string, project: string): Promise<void> {
  cpSync(join(import.meta.dirname, 'start-floor.js'), join(project, 'start-floor.js'));
  const main = join(project, 'node_modules/posthorn/dist/sandbox/main.js');
  const used = join(folder, 'used');
  const runs = join(folder, 'runs');
  const cases = {
    'hapi and two child processes': () => [join(project, 'start-floor.js')],
    'posthorn --version': () => [main, '--version'],
    'sandbox, empty': () => [main, '--port', '0', '--json', '--seed', 'empty'],
    'sandbox, demo in memory': () => [main, '--port', '0', '--json'],
    'sandbox, demo in a new folder': (round: number) => [main, '--port', '0', '--json', '--data', join(folder, `new-${round}`)],
    'sandbox, demo in a used folder': () => [main, '--port', '0', '--json', '--data', used],
  };
  mkdirSync(runs);
  await timeOf(runs, cases['sandbox, demo in a used folder']());
  printTimes('ready after', await inTurns(cases, ROUNDS, (args, round) => timeOf(runs, args(round))));
}

async function timeOf(cwd: string, args: readonly string[]): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  const ms = performance.now() - began;
  child.kill();
  await ended;
  return ms;
}

/** The figures of each case. The cases alternate in every round, so that the load of the machine affects all of them alike. */
function inTurns<T>(
  cases: Readonly<Record<string, T>>,
  rounds: number,
  measure: (given: T, round: number) => number | Promise<number>,
): Promise<Map<string, number[]>> {
  const sides = Object.entries(cases).map(([name, given]) => {
    let round = 0;
    return { name, round: async () => measure(given, round++), stop: async () => undefined };
  });
  return alternate(sides, rounds);
}

/** Prints medians in milliseconds, and their ratio to the first case, for which there can be goals. */
function printTimes(what: string, times: ReadonlyMap<string, readonly number[]>, goals: Readonly<Record<string, number>> = {}): void {
  const [floor] = [...times.values()].map(median);
  const hasGoals = Object.keys(goals).length > 0;
  printTable(
    [`${what}, median of ${ROUNDS}`, 'ms', 'min', 'ratio', hasGoals ? 'goal' : ''],
    [...times].map(([name, all]) => {
      const middle = median(all);
      const ratio = middle / floor!;
      const goal = name in goals ? goalOf(ratio, goals[name]!, 'times') : '';
      return [name, middle.toFixed(0), Math.min(...all).toFixed(0), ratio.toFixed(2), goal];
    }),
  );
}

function goalOf(figure: number, max: number, unit: string): string {
  return `at most ${max} ${unit}: ${figure <= max ? 'met' : 'missed'}`;
}

if (process.argv[1] === import.meta.filename) await run();
