// Bench: the installed package beside hapi alone: its size, the CPU time to import it, and the time until its programs are ready
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installed, packed } from './measuring/installed.js';
import { median, printTable } from './measuring/table.js';

const ROUNDS = 7;
const MAX_INSTALLED_MB = 30;
/** Of the CPU time to import hapi alone. */
const MAX_IMPORT_RATIO = 2;
const WITH_THREE = 'posthorn, @hapi/hapi and three plugins';

interface InstalledSize {
  readonly megabytes: number;
  readonly largest: readonly (readonly [name: string, megabytes: number])[];
}
const { installedSize }: { installedSize(folder: string): InstalledSize } = await import(pathToFileURL('scripts/installed-size.mjs').href);

const folder = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: object; devDependencies: Record<string, string> };
const hapi = `@hapi/hapi@${manifest.devDependencies['@hapi/hapi']}`;
const bare = installed(join(folder, 'bare'), [hapi]);
const project = installed(join(folder, 'project'), [packed(folder), hapi]);
cpSync(join(import.meta.dirname, 'start-floor.js'), join(project, 'start-floor.js'));
const main = join(project, 'node_modules/posthorn/dist/sandbox/main.js');

printSizes();
console.log();
await printImports();
console.log();
await printStarts();
rmSync(folder, { recursive: true });

function printSizes(): void {
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

/** CPU time in a new process, without the start of Node. */
async function printImports(): Promise<void> {
  const areas = Object.keys(manifest.exports).filter((subpath) => /^\.\/plugins\/[^/]+$/.test(subpath));
  const cases = {
    '@hapi/hapi': ['@hapi/hapi'],
    '@hapi/hapi and joi': ['@hapi/hapi', 'joi'],
    'posthorn/signature': ['posthorn/signature'],
    posthorn: ['posthorn'],
    'posthorn and @hapi/hapi': ['posthorn', '@hapi/hapi'],
    [WITH_THREE]: ['posthorn', '@hapi/hapi', ...['channels', 'webhooks', 'messages'].map((name) => `posthorn/plugins/${name}`)],
    'posthorn, @hapi/hapi and every plugin': ['posthorn', '@hapi/hapi', ...areas.map((area) => area.replace('.', 'posthorn'))],
  };
  const costs = await inTurns(cases, (modules) => {
    const script = `const began = process.cpuUsage();
for (const name of ${JSON.stringify(modules)}) await import(name);
const { user, system } = process.cpuUsage(began);
console.log((user + system) / 1000);`;
    return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: project, encoding: 'utf8' }));
  });
  printTimes('import, CPU', costs, { [WITH_THREE]: MAX_IMPORT_RATIO });
}

/** Time until the process prints something; then it is killed. */
async function printStarts(): Promise<void> {
  const used = join(folder, 'used');
  const cases = {
    'hapi and two child processes': () => [join(project, 'start-floor.js')],
    'posthorn --version': () => [main, '--version'],
    'sandbox, empty': () => [main, '--port', '0', '--json', '--seed', 'empty'],
    'sandbox, demo in memory': () => [main, '--port', '0', '--json'],
    'sandbox, demo in a new folder': (round: number) => [main, '--port', '0', '--json', '--data', join(folder, `new-${round}`)],
    'sandbox, demo in a used folder': () => [main, '--port', '0', '--json', '--data', used],
  };
  mkdirSync(join(folder, 'runs'));
  await timeOf(cases['sandbox, demo in a used folder']());
  printTimes('ready after', await inTurns(cases, (args, round) => timeOf(args(round))));
}

async function timeOf(args: readonly string[]): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { cwd: join(folder, 'runs'), stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  const ms = performance.now() - began;
  child.kill();
  await ended;
  return ms;
}

/** The figures of each case. The cases alternate in every round, so that the load of the machine affects all of them alike. */
async function inTurns<T>(
  cases: Readonly<Record<string, T>>,
  measure: (given: T, round: number) => number | Promise<number>,
): Promise<Map<string, number[]>> {
  const figures = new Map(Object.keys(cases).map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, given] of Object.entries(cases)) figures.get(name)!.push(await measure(given, round));
  }
  return figures;
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
