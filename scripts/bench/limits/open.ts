// Starts a platform with a data folder, and prints the time and memory: node --expose-gc open.js <folder>
import { createPlatform } from '#core';
import { RecordingLogger } from '#core/testing';
import type { Ports } from '../../../core/ports/ports.js';

const neverAnswers = { send: () => new Promise<never>(() => undefined), stop: async () => undefined };
const platform = createPlatform({
  dataDir: process.argv[2]!,
  plugins: [],
  secretKey: '0'.repeat(64),
  ports: { log: new RecordingLogger(), http: neverAnswers } as unknown as Partial<Ports>,
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
gc();
const after = process.memoryUsage();
console.log(
  JSON.stringify({
    ms,
    cpuMs: (cpu.user + cpu.system) / 1000,
    heap: after.heapUsed + after.external - before.heapUsed - before.external,
    rss: after.rss,
    peak,
  }),
);
process.exit();
