import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { onlyLong } from '../forms.js';

const program = fileURLToPath(new URL('./journey-process.js', import.meta.url));

function run(...args: readonly string[]): Promise<{ signal: string | null; out: string; err: string }> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data) => (out += data));
  child.stderr.on('data', (data) => (err += data));
  return new Promise((resolve) => child.once('close', (_, signal) => resolve({ signal, out, err })));
}

// The first message takes one step; the second takes two: up to the HTTP request, and from its response to the end.
for (const [step, when] of [
  ['1', 'before the first answer'],
  ['2', 'before the second answer'],
  ['3', 'between the two steps of an answer, after its HTTP request'],
] as const) {
  t.test(
    `a process that is killed ${when} neither loses nor repeats an answer, even if messages are posted again`,
    { skip: onlyLong },
    async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'posthorn-journey-'));
      t.teardown(() => rmSync(folder, { recursive: true, force: true }));
      t.match(await run(folder, step), { signal: 'SIGKILL', out: '' });
      for (const again of ['the run after it', 'and the one after that']) {
        const { out, err } = await run(folder);
        t.equal(err, '');
        t.strictSame(
          JSON.parse(out),
          {
            texts: ['inbound: hi', 'outbound: What is your name?', 'inbound: Ann', 'outbound: Ann: your order is ready'],
            sessions: [{ state: 'ended', turns: 2 }],
          },
          again,
        );
      }
    },
  );
}
