// The disk space that installed packages take, as `du` counts it: in blocks, so that many small files count as more than their bytes.
import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

const BLOCK_BYTES = 512;
const LARGEST_SHOWN = 5;

/** Megabytes (MiB) of a folder `node_modules`, and of its largest packages. */
export function installedSize(folder) {
  const sizes = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const [scope, name] = relative(folder, path).split('/');
    const owner = scope.startsWith('@') ? `${scope}/${name}` : scope;
    sizes.set(owner, (sizes.get(owner) ?? 0) + (statSync(path).blocks * BLOCK_BYTES) / 2 ** 20);
  }
  const largest = [...sizes].sort(([, a], [, b]) => b - a).slice(0, LARGEST_SHOWN);
  return { megabytes: [...sizes.values()].reduce((sum, size) => sum + size, 0), largest };
}
