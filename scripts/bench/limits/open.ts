// Starts a platform with a data folder, and prints the time and memory, beside the time to parse the JSON of the same files:
// node --expose-gc open.js <folder>
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPlatform } from '#core';
import { RecordingLogger } from '#core/testing';
import type { Ports } from '../../../core/ports/ports.js';
import { admin } from '../measuring/admin.js';

const neverAnswers = { send: () => new Promise<never>(() => undefined), stop: async () => undefined };
const folder = process.argv[2]!;
const log = new RecordingLogger();
const platform = createPlatform({
  dataDir: folder,
  plugins: [],
  admin,
  secretKey: '0'.repeat(64),
  ports: { log, http: neverAnswers } as unknown as Partial<Ports>,
});
const gc = globalThis.gc!;
gc();
const before = process.memoryUsage();
const cpuBefore = process.cpuUsage();
const began = performance.now();
await platform.start();
const ms = performance.now() - began;
const cpu = process.cpuUsage(cpuBefore);
const peak = process.resourceUsage().maxRSS * 1024;
// Buffers that the start no longer needs are freed by a collection after its last callbacks.
gc();
await new Promise((resolve) => setTimeout(resolve, 100));
gc();
const after = process.memoryUsage();
console.log(
  JSON.stringify({
    ms,
    cpuMs: (cpu.user + cpu.system) / 1000,
    floorMs: floorMs(),
    heap: after.heapUsed + after.external - before.heapUsed - before.external,
    rss: after.rss,
    peak,
    // The progress of the start, which the store logs from the first second on.
    progress: log.lines.filter(({ fields }) => fields?.elapsedMs !== undefined).length,
  }),
);
process.exit();

/** CPU time to read every line of the snapshots and the journal with `JSON.parse`. */
function floorMs(): number {
  const start = process.cpuUsage();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.jsonl?$/.test(name)) continue;
    for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) {
      const json = line.trim().replace(/,$/, '');
      // Other lines are the frame of a snapshot.
      if (/^[[{].*[\]}]$/.test(json)) JSON.parse(json);
    }
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
