// Bench: CPU time of an inbound message with one delivery, while calls and deliveries are recorded and faults matched, as a ratio to both off
import { parseArgs } from 'node:util';
import { measureCalls } from './api.js';
import { noCpuFigures } from './measuring/cpu.js';
import { ratioOf, spreadOf } from './measuring/rounds.js';
import { printTable } from './measuring/table.js';

async function run(): Promise<void> {
  const { values } = parseArgs({ options: { requests: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '20' } } });
  const [requests, rounds] = [Number(values.requests), Number(values.rounds)];
  const measured = await measureCalls('inbound channel message', ['ours', 'ours recording'], { requests, rounds });
  const off = measured.get('ours')!;
  const us = (ms: number): string => ((ms / requests) * 1000).toFixed(0);
  const rows = [...measured].map(([mode, all]) => {
    const ratio = ratioOf(all, off, ({ cpuMs }) => cpuMs);
    return [
      mode === 'ours' ? 'off' : 'on',
      us(spreadOf(all.map(({ cpuMs }) => cpuMs)).median),
      ...[ratio.median, ratio.min, ratio.max].map((value) => value.toFixed(2)),
      ratioOf(all, off, ({ mainMs }) => mainMs).median.toFixed(2),
    ];
  });
  printTable([`${rounds} interleaved rounds of ${requests}`, 'CPU us', 'median ratio', 'min', 'max', 'main thread'], rows);
  if (noCpuFigures !== undefined) console.log(`CPU times were not measured: ${noCpuFigures}.`);
}

if (process.argv[1] === import.meta.filename) await run();
