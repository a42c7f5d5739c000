import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import { freePort } from '../../scripts/free-port.js';
import { onlyLong } from '../forms.js';
import { newFolder } from '../iso/posthorn-process.js';

const page = readFileSync('sandbox/examples/README.md', 'utf8');
const build = join(import.meta.dirname, '..', '..');
/** The ports of the page: tests on the same machine need others. */
const PORT = /\b470\d\b/g;

/** A project in which Posthorn and express are installed, and whose examples use a free port. */
async function newProject(t: Tap) {
  const folder = newFolder(t);
  const [installed, port] = [join(folder, 'node_modules/posthorn'), String(await freePort())];
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  cpSync('sandbox/examples', join(installed, 'sandbox/examples'), { recursive: true });
  for (const entry of readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())) {
    const file = join(entry.parentPath, entry.name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(PORT, port));
  }
  cpSync('package.json', join(installed, 'package.json'));
  symlinkSync(build, join(installed, 'dist'));
  symlinkSync(join(process.cwd(), 'node_modules/express'), join(folder, 'node_modules/express'));
  symlinkSync(join(process.cwd(), 'node_modules/joi'), join(folder, 'node_modules/joi'));
  symlinkSync(join(process.cwd(), 'node_modules/@hapi'), join(folder, 'node_modules/@hapi'));
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const main = join(build, 'sandbox/main.js');
  writeFileSync(join(folder, 'node_modules/.bin/posthorn'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 });
  // npx itself would take half of the time of this test.
  writeFileSync(join(folder, 'node_modules/.bin/npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  const { NODE_TEST_CONTEXT: _, FORCE_COLOR: __, PATH, ...env } = process.env;
  return { folder, port, env: { ...env, PATH: `${join(folder, 'node_modules/.bin')}:${PATH}`, PORT: port, NO_COLOR: '1' } };
}

type Project = Awaited<ReturnType<typeof newProject>>;

/** Starts a command of the page, which ends with the test. */
function start(t: Tap, command: string, { folder, port, env }: Project) {
  const child: ChildProcess = spawn('/bin/sh', ['-c', command.replaceAll(PORT, port)], { cwd: folder, env, detached: true });
  let output = '';
  const changed = new Set<() => void>();
  const note = (data: unknown): void => {
    output += String(data);
    for (const check of changed) check();
  };
  child.stdout!.on('data', note);
  child.stderr!.on('data', note);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  t.teardown(async () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // All processes of the command have ended.
    }
    await ended;
  });
  return {
    /** Waits until the command has printed this. */
    printed: (what: RegExp): Promise<string> =>
      new Promise((resolve, reject) => {
        const check = (): void => void (what.test(output) && resolve(output));
        changed.add(check);
        void ended.then(() => (what.test(output) ? resolve(output) : reject(new Error(`'${command}' ended after: ${output}`))));
        check();
      }),
  };
}

const commandsOf = (heading: string): string[] => {
  const block = new RegExp(`^### ${heading}\\n[\\s\\S]*?^\`\`\`sh\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)?.[1] ?? '';
  return block.trim().split('\n');
};

type Second = ReturnType<typeof start>;
type Check = (t: Tap, second: Second, project: Project, posthorn: (...args: string[]) => string, first: Second) => Promise<void>;

/** Each section starts two to five processes, so the short form has one of them. */
const SHORT = ['You have a hapi server'];

/** Checks the output that a reader sees after the two commands, by section. */
const sections: Readonly<Record<string, Check>> = {
  'You have a hapi server': async (t, second) => {
    t.match(await second.printed(/\}/), /"number":"[\w-]+","token":"ph_/);
  },
  'You have an Express application': async (t, second, _, __, first) => {
    t.match(await second.printed(/\}/), /"messages":\[\{"id":"/);
    t.match(await first.printed(/to \d+/), /^to 27820001001: Hello$/m);
  },
  'You have an application beside Posthorn': async (t, second, _, posthorn) => {
    await second.printed(/Express on http/);
    t.match(posthorn('send', 'hi'), /◀ You wrote: hi\n[\s\S]*message +200 .*signature ok/);
    t.match(await second.printed(/replied|refused/), /replied to 27611111111/);
  },
  'You write a channel as a plugin': async (t, second) => {
    const dialogue = /> hi\n< What do you need\? \[Opening hours\]\n> Opening hours\n< We are open from 9 to 5\./;
    t.match(await second.printed(/9 to 5/), dialogue);
  },
  'You have an SMS gateway': async (t, second, { port }) => {
    await second.printed(/SMS gateway on http/);
    const write = (text: string) =>
      fetch(`http://127.0.0.1:${port}/inbound`, { method: 'POST', body: new URLSearchParams({ from: '+27611111111', text }) });
    await write('hi');
    t.match(await second.printed(/What do you need/), /SMS to \+27611111111: What do you need\? \/ 1 Opening hours \/ 2 Our address/);
    await write('2');
    t.match(await second.printed(/Long Street|9 to 5/), /SMS to \+27611111111: 1 Long Street/);
  },
  'You show your data in Python': async (t, second, _, posthorn) => {
    await second.printed(/integration on http/);
    posthorn('send', 'hi');
    t.match(posthorn('integration', 'context'), /A-17 +on its way/);
    posthorn('integration', 'click', 'cancel');
    t.match(posthorn('integration', 'context'), /A-17 +cancelled/);
  },
  'You receive webhooks in a function': async (t, second, { port }, posthorn) => {
    await second.printed(/serverless receiver on http/);
    t.match(posthorn('send', 'hi'), /message +200 .*signature ok/);
    await second.printed(/sent wamid\.\S+, of type text/);
    t.equal((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' })).status, 401);
  },
};

t.test('every section with two commands has a test', async (t) => {
  const [, part = ''] = page.split('## Two commands for each kind of user');
  const headings = [...part.split(/^## /m)[0]!.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);
  t.strictSame(headings, Object.keys(sections));
});

// In a test of their own, because `jobs` counts for everything that follows it, in this file and in the next ones of the same process.
t.test('the commands of each section work as on the page', { jobs: 2 }, async (t) => {
  for (const [heading, check] of Object.entries(sections)) {
    t.test(heading, { skip: SHORT.includes(heading) ? false : onlyLong }, async (t) => {
      const project = await newProject(t);
      t.teardown(() => rmSync(join(project.folder, '.posthorn'), { recursive: true, force: true }));
      const [first = '', second = '', ...more] = commandsOf(heading);
      t.strictSame([second !== '', more], [true, []], 'two commands');
      const started = start(t, first, project);
      await started.printed(/sandbox ready| on http:/);
      const bin = join(project.folder, 'node_modules/.bin/posthorn');
      const posthorn = (...args: string[]): string =>
        execFileSync(bin, args, { cwd: project.folder, env: project.env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
      await check(t, start(t, second, project), project, posthorn, started);
    });
  }
});
