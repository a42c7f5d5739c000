// Starts a platform with a data folder, and prints the time and memory: node --expose-gc open.js <folder>
import { createPlatform } from '#core';
import { RecordingLogger } from '#core/testing';
import type { Ports } from '../../../core/ports/ports.js';

const neverAnswers = { send: () => new Promise<never>(() => undefined), stop: async () => undefined };
const log = new RecordingLogger();
const platform = createPlatform({
  dataDir: process.argv[2]!,
  plugins: [],
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
    heap: after.heapUsed + after.external - before.heapUsed - before.external,
    rss: after.rss,
    peak,
    // The progress of the start, which the store logs from the first second on.
    progress: log.lines.filter(({ fields }) => fields?.elapsedMs !== undefined).length,
  }),
);
process.exit();
