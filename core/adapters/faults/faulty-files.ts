import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, Faults } from '../../ports/faults.js';
import type { FileSystem, OpenFile } from '../file-system.js';

/** A file system that fails on purpose: writes without space on the disk, and syncs that take long. */
export const faultyFiles = (fs: FileSystem, faults: Faults): FileSystem => ({
  ...fs,
  open: async (path, how) => (how === 'read' ? fs.open(path, how) : faultyFile(await fs.open(path, how), basename(path), faults)),
});

function faultyFile(file: OpenFile, name: string, faults: Faults): OpenFile {
  return {
    ...file,
    async write(bytes) {
      const fault = faults.fire('store', { operation: 'write', file: name });
      if (fault?.effect.kind === 'disk_full') throw diskFull(name);
      // A write that is durable when it resolves is a sync too.
      if (file.writesDurably) await delayed(faults.fire('store', { operation: 'sync', file: name }));
      return file.write(bytes);
    },
    async sync() {
      await delayed(faults.fire('store', { operation: 'sync', file: name }));
      return file.sync();
    },
  };
}

/** Real time: a disk does not follow the clock of the platform. */
async function delayed(fault: Fault | undefined): Promise<void> {
  if (fault?.effect.kind === 'delay') await sleep(fault.effect.delay_ms ?? 1_000);
}

const diskFull = (name: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`ENOSPC: no space left on device, write '${name}' (a fault rule)`), { code: 'ENOSPC', syscall: 'write' });
