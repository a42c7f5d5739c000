// Runs the embedding sample of the README and its calls as printed, but on a free port.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './compile.mjs';

const LIMIT_MS = 60_000;

/** A code block of the README by what follows its fence. */
export function blockOf(info) {
  const [, code] = new RegExp(`^\`\`\`${info}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  if (code === undefined) throw new Error(`the README has no block '${info}'`);
  return code;
}

/**
 * Starts the sample in a folder whose packages it imports, and runs the calls in a shell.
 * @returns the responses of the calls, and what the server has printed after the line with `export`
 */
export async function runEmbedSample(folder, port) {
  const atPort = (code) => code.replaceAll('3000', String(port));
  writeFileSync(join(folder, 'server.mjs'), atPort(blockOf('ts embed')));
  const server = spawn(process.execPath, ['server.mjs'], { cwd: folder, timeout: LIMIT_MS, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const ended = once(server, 'close').then(() => Promise.reject(new Error(`the sample has ended: ${output}`)));
  ended.catch(() => undefined);
  const printed = (what) =>
    Promise.race([
      ended,
      new Promise((resolve) => {
        const look = () => what.test(output) && resolve(what.exec(output));
        server.stdout.on('data', look);
        server.stderr.on('data', look);
        look();
      }),
    ]);
  server.stdout.on('data', (data) => (output += data));
  server.stderr.on('data', (data) => (output += data));
  try {
    const [line] = await printed(/^export .+$/m);
    const shell = promisify(execFile);
    const { stdout } = await shell('/bin/sh', ['-ec', `${line}\n${atPort(blockOf('sh embed')).replaceAll('curl ', 'curl -sS ')}`], {
      cwd: folder,
    });
    await printed(/^from .+$[\s\S]*^to .+$/m);
    return { responses: stdout, printed: output.slice(output.indexOf(line) + line.length).trim() };
  } finally {
    server.kill();
  }
}
