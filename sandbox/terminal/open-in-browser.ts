import { spawn } from 'node:child_process';
import type { Terminal } from './terminal.js';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens a URL in the user's browser, and prints it, because a machine without a screen opens nothing. */
export function openInBrowser(url: string, { out }: Pick<Terminal, 'out'>): void {
  out(url);
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  spawn(command, [...args, url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
