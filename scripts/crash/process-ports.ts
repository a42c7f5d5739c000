import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The local ports of a process's TCP connections over IPv4. Linux only. */
export function portsOf(pid: number): ReadonlySet<number> {
  const sockets = new Set<string>();
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      const socket = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`));
      if (socket) sockets.add(socket[1]!);
    } catch {
      // It was closed meanwhile.
    }
  }
  const rows = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n').slice(1);
  const fields = rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , , , , , , , inode]) => inode !== undefined && sockets.has(inode));
  return new Set(fields.map(([, local]) => Number.parseInt(local!.split(':')[1]!, 16)));
}
