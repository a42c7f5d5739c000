import { execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import t from 'tap';
import { signatureOf } from '#core';
import type { Tap } from '#core/testing';
import { explainSignature } from '../../plugins/webhooks/signature/explanation.js';
import { type Framework, frameworks, type Receiver, receivers } from '../../plugins/webhooks/signature/fixes.js';
import { type CodeMistake, codeMistakes } from '../../plugins/webhooks/signature/mistakes.js';
import { freePort } from '../../scripts/free-port.js';
import { onlyLong } from '../forms.js';
import { newFolder } from './sandbox-with-receiver.js';

// Each receiver runs as its users would run it: without a mistake it accepts a signed request and refuses one with another signature; with
// the lines of a mistake it refuses the signed request, and the value that it computed is explained by exactly this mistake.

const HEADER = 'x-svc-hook-signature';
/** Keys out of order, characters that Python and Go escape, and spaces as no library writes them, so that each writes other bytes. */
const BODY = '{"z" : "<Grüße> & 🦉", "a":[1,{"b":null}], "empty":{}}';

/** A secret and a body whose signature has characters that base64url writes differently. */
function signedExample(): { secret: string; body: string } {
  for (;;) {
    const secret = randomBytes(32).toString('base64url');
    // base64url without padding, and a signature with + or /: otherwise it equals another mistake.
    if (/[+/]/.test(signatureOf(secret, BODY)) && /[-_]/.test(secret)) return { secret, body: BODY };
  }
}

/** The receiver with the lines of a mistake, which prints the value that it computed. */
function programOf({ code, mistakes, language }: Receiver, mistake: CodeMistake | undefined): string {
  const changes = mistake === undefined ? [] : mistakes[mistake];
  const changed = changes.reduce((program, [right, wrong]) => program.replace(right, () => wrong), code);
  const print = {
    js: "console.log('computed ' + expected);",
    python: 'print("computed " + expected, flush=True)',
    go: 'os.Stdout.WriteString("computed " + expected + "\\n")',
  }[language];
  return changed.replace(/^(\s*)(?:const )?expected :?= .*$/m, (line, indent: string) => `${line}\n${indent}${print}`);
}

interface Posted {
  readonly status: number;
  readonly computed: string | undefined;
}

/** Starts a receiver, and posts bodies with signatures to it. */
async function post(
  [command, ...args]: readonly string[],
  { folder, secret }: { folder: string; secret: string },
  requests: readonly { body: string; signature: string }[],
): Promise<Posted[]> {
  const port = await freePort();
  const child = spawn(command!, args, { cwd: folder, env: { ...process.env, POSTHORN_SECRET: secret, PORT: String(port) } });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    let out = '';
    let err = '';
    child.stdout.on('data', (part) => (out += part));
    child.stderr.on('data', (part) => (err += part));
    const posted: Posted[] = [];
    for (const { body, signature } of requests) {
      out = '';
      const headers = { 'content-type': 'application/json', [HEADER]: signature };
      let response: Response | undefined;
      for (let left = 600; response === undefined; left--) {
        response = await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', headers, body }).catch(() => undefined);
        if (!response && (left === 0 || child.exitCode !== null)) throw new Error(`${args.at(-1)} did not start: ${err}`);
        if (!response) await sleep(50);
      }
      await response.arrayBuffer();
      for (let left = 100; !out.includes('computed ') && left > 0; left--) await sleep(10);
      posted.push({ status: response.status, computed: /^computed (.*)$/m.exec(out)?.[1]?.trim() });
    }
    return posted;
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** Checks a receiver without mistakes and with each of them. */
async function check(
  t: Tap,
  framework: Framework,
  commands: ReadonlyMap<CodeMistake | undefined, readonly string[]>,
  folder: string,
): Promise<void> {
  const { secret, body } = signedExample();
  const signature = signatureOf(secret, body);
  const refused = { body, signature: signatureOf(`${secret}x`, body) };
  const [accepted, ...others] = await post(commands.get(undefined)!, { folder, secret }, [
    { body, signature },
    refused,
    { body, signature: '' },
    { body, signature: 'ü'.repeat(44) },
  ]);
  t.strictSame(accepted, { status: 200, computed: signature }, `${framework} accepts a signed request`);
  for (const { status } of others) t.equal(status, 401, `${framework} refuses another signature`);
  for (const mistake of codeMistakes) {
    const [answer] = await post(commands.get(mistake)!, { folder, secret }, [{ body, signature }]);
    t.equal(answer!.status, 401, `${framework} with ${mistake} refuses a signed request`);
    const { diagnosis } = explainSignature({ body, secret, signature: answer!.computed ?? '' });
    t.strictSame(diagnosis?.mistakes, [mistake], `the value of ${framework} with ${mistake} is explained`);
  }
}

const written = (folder: string, name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return name;
};

t.test('every line of a change occurs once in its receiver', async (t) => {
  for (const framework of frameworks) {
    const { code, mistakes } = receivers[framework];
    for (const mistake of codeMistakes) {
      for (const [right, wrong] of mistakes[mistake]) {
        t.equal(code.split(right).length, 2, `${framework} ${mistake}: ${right}`);
        t.not(right, wrong);
      }
    }
  }
});

const modules = join(process.cwd(), 'node_modules');
const packages = { express: 'express', fastify: 'fastify', hapi: '@hapi/hapi' } as const;
for (const framework of ['express', 'fastify', 'hapi'] as const) {
  const isThere = existsSync(join(modules, packages[framework]));
  const skip = (framework === 'hapi' ? false : onlyLong) || (isThere ? false : `the package ${packages[framework]} is not installed`);
  t.test(`the receiver for ${framework} verifies signatures, and each mistake in it is explained`, { skip }, async (t) => {
    const folder = newFolder(t);
    symlinkSync(modules, join(folder, 'node_modules'));
    const commands = new Map(
      [undefined, ...codeMistakes].map((mistake) => {
        const file = written(folder, `${mistake ?? 'right'}.mjs`, programOf(receivers[framework], mistake));
        return [mistake, [process.execPath, file]] as const;
      }),
    );
    await check(t, framework, commands, folder);
  });
}

const hasFlask = spawnSync('python3', ['-c', 'import flask']).status === 0;
const hasPython = spawnSync('python3', ['--version']).status === 0;
t.test(
  'the receiver for flask verifies signatures, and each mistake in it is explained',
  { skip: onlyLong || (hasFlask ? false : 'python3 with Flask is not installed') },
  async (t) => {
    const folder = newFolder(t);
    const commands = new Map(
      [undefined, ...codeMistakes].map((mistake) => {
        const file = written(folder, `${mistake ?? 'right'}.py`, programOf(receivers.flask, mistake));
        return [mistake, ['python3', file]] as const;
      }),
    );
    await check(t, 'flask', commands, folder);
  },
);

t.test(
  'the Python of the receiver for flask signs as Posthorn does',
  { skip: hasPython ? false : 'python3 is not installed' },
  async (t) => {
    const lines = receivers.flask.code.split('\n');
    const signing = lines.filter((line) => /^(secret =| {4}(digest|expected) =)/.test(line)).map((line) => line.trim());
    t.equal(signing.length, 3);
    const program = ['import base64, hashlib, hmac, os, sys', 'raw_body = sys.stdin.buffer.read()', ...signing, 'print(expected)'].join(
      '\n',
    );
    const { secret, body } = signedExample();
    const { stdout, stderr } = spawnSync('python3', ['-c', program], { input: body, env: { ...process.env, POSTHORN_SECRET: secret } });
    t.equal(stdout.toString().trim(), signatureOf(secret, body), stderr.toString());
  },
);

const hasGo = spawnSync('go', ['version']).status === 0;
t.test(
  'the receiver for go verifies signatures, and the mistakes in it are explained',
  { skip: onlyLong || (hasGo ? false : 'go is not installed') },
  async (t) => {
    const folder = newFolder(t);
    written(folder, 'go.mod', 'module hooks\n\ngo 1.22\n');
    const names = [undefined, ...codeMistakes].map((mistake) => {
      const name = mistake ?? 'right';
      mkdirSync(join(folder, name));
      written(join(folder, name), 'main.go', programOf(receivers.go, mistake));
      return [mistake, [join(folder, 'bin', name)]] as const;
    });
    mkdirSync(join(folder, 'bin'));
    // One build of all programs, with the linker's debug tables left out, takes seconds.
    await promisify(execFile)('go', ['build', '-ldflags=-s -w', '-o', join(folder, 'bin'), './...'], { cwd: folder });
    await check(t, 'go', new Map(names), folder);
  },
);
