// Bench: 1,000 tests of journeys with five turns each, as a ratio to a bare loop of the engine; both in a new process
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median, printTable } from './measuring/table.js';

const TESTS = 1_000;
const FILES = 20;
const TURNS = ['English', 'Ann', 'Opening hours', 'Back to the menu'] as const;
const SIDES = ['bare', 'tests', 'threads'] as const;
type Side = (typeof SIDES)[number];

/** Milliseconds of a side, from its first to its last turn: with compiling and parsing, without loading modules. */
interface Taken {
  readonly wallMs: number;
  readonly cpuMs: number;
}

const testFile = (count: number, from: number): string =>
  [
    'journey: library.md',
    'tests:',
    ...Array.from({ length: count }, (_, i) =>
      [
        `  - name: visit ${from + i}`,
        '    steps:',
        '      - start',
        '      - expect: { card: Welcome, options: [English, Français] }',
        '      - tap: English',
        '      - expect: { text: What may I call you? }',
        '      - say: Ann',
        '      - expect: { contact: { name: Ann }, text: { contains: "Nice to meet you, Ann!" } }',
        '      - tap: Opening hours',
        '      - expect: { text: { contains: Monday to Friday } }',
        '      - tap: Back to the menu',
        '      - expect: { card: Menu, state: waiting_for_input }',
      ].join('\n'),
    ),
    '',
  ].join('\n');

/** Runs the same conversations with `step` alone: no expectations, no mocks, no files but the journey. */
async function runBare(folder: string): Promise<() => void> {
  const { compile, compileNotebook, step } = await import('../../plugins/journeys/engine/index.js');
  return () => {
    const definition = compile(compileNotebook(readFileSync(join(folder, 'library.md'), 'utf8')).container);
    const definitions = () => definition;
    const environment = { now: '2026-01-05T08:00:00Z', timeZone: 'UTC', seed: 'bench' };
    for (let i = 0; i < TESTS; i++) {
      const signal = { kind: 'start', session: `s${i}`, journey: 'j', revision: 'r', contact: {}, globals: {} } as const;
      let { session } = step({ definitions, session: null, signal, environment });
      for (const text of TURNS) {
        const input = { type: 'text', text, message: { type: 'text', text: { body: text } } };
        session = step({ definitions, session, signal: { kind: 'input', input }, environment }).session;
      }
    }
  };
}

async function runTests(folder: string, jobs: number): Promise<() => Promise<void>> {
  const { runFiles } = await import('../../sandbox/journey-tests/run/run-files.js');
  const files = Array.from({ length: FILES }, (_, i) => `${i}.test.yaml`);
  return async () => {
    const { files: results } = await runFiles({ cwd: folder, files, jobs, snapshots: 'ci' });
    const passed = results.flatMap(({ tests }) => tests).filter(({ status }) => status === 'passed').length;
    if (passed !== TESTS) throw new Error(`${passed} of ${TESTS} tests passed`);
  };
}

async function measureSide(side: Side, folder: string): Promise<Taken> {
  const work = side === 'bare' ? await runBare(folder) : await runTests(folder, side === 'tests' ? 1 : 2);
  const [since, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - since, cpuMs: (user + system) / 1000 };
}

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, side: { type: 'string' }, folder: { type: 'string' } },
});
if (values.side !== undefined) {
  process.stdout.write(JSON.stringify(await measureSide(values.side as Side, values.folder!)));
} else {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
  copyFileSync('sandbox/demo/library.md', join(folder, 'library.md'));
  for (let i = 0; i < FILES; i++) writeFileSync(join(folder, `${i}.test.yaml`), testFile(TESTS / FILES, (i * TESTS) / FILES));
  const self = fileURLToPath(import.meta.url);
  const taken: Record<Side, Taken[]> = { bare: [], tests: [], threads: [] };
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const side of SIDES)
      taken[side].push(JSON.parse(execFileSync(process.execPath, [self, '--side', side, '--folder', folder], { encoding: 'utf8' })));
  }
  rmSync(folder, { recursive: true });
  const of = (side: Side, key: keyof Taken): number => median(taken[side].map((one) => one[key]));
  const names: Readonly<Record<Side, string>> = {
    bare: 'bare engine loop',
    tests: 'posthorn test, one thread',
    threads: 'posthorn test, two threads',
  };
  printTable(
    ['side', 'ms', 'ms of CPU', 'ratio', 'ratio of CPU'],
    SIDES.map((side) => [
      names[side],
      of(side, 'wallMs').toFixed(0),
      of(side, 'cpuMs').toFixed(0),
      (of(side, 'wallMs') / of('bare', 'wallMs')).toFixed(2),
      (of(side, 'cpuMs') / of('bare', 'cpuMs')).toFixed(2),
    ]),
  );
  console.log(`${TESTS} tests of ${TURNS.length + 1} turns in ${FILES} files; goals: at most 5 s, and at most 3 times the bare loop`);
}
