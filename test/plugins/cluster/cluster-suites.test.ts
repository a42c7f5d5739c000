import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { Parser } from 'tap-parser';
import { patient } from '../../../core/testing/slowness.js';
import { onlyLong } from '../../forms.js';
import { withDatabase } from './postgres/with-database.js';

const tests = new URL('../', import.meta.url);
const support = new URL('three-processes.js', import.meta.url);
const isComplete = process.env.POSTHORN_SUITES === 'all';
const withoutHooks = new URL('../../../../scripts/tap-without-hooks.mjs', import.meta.url);
/** Far more than all files take. A test that hangs is then named by what was printed before it. */
const LIMIT_MS = patient(isComplete ? 600_000 : 180_000);
const LINES_SHOWN = 60;

/**
 * The tests of the areas of the interface: channels, webhooks, messages, flows, integration, simulation and journeys. Every test starts
 * processes of its own, so CI runs some files of each area, and `POSTHORN_SUITES=all npm test -- cluster-suites` runs all.
 */
const short = [
  ...['interface-channels', 'interface-turns', 'interface-webhooks', 'messages/send', 'flows/life-cycle'],
  ...['integration/handshake', 'simulation/interface', 'journeys/stacks'],
];
const others = [
  ...['interface-journey-turns', 'interface-parked', 'messages/contacts', 'messages/media', 'messages/claims', 'messages/templates'],
  ...['flows/api', 'flows/conversation', 'integration/actions', 'integration/panels', 'simulation/session'],
];
const files = isComplete ? [...short, ...others] : short;

/** The tests that fail with several processes, and why. The page on clusters lists the reasons. */
const differences: Readonly<Record<string, string>> = {};

t.test(
  'the tests of the interface pass with three processes on PostgreSQL, except those of known differences',
  { skip: onlyLong },
  withDatabase(async (t, { url }) => {
    const imports = files.map((file) => `await import(${JSON.stringify(new URL(`${file}.test.js`, tests).href)});`);
    const code = [`(await import(${JSON.stringify(support.href)})).useThreeProcesses(process.env.POSTHORN_DATABASE_URL);`, ...imports].join(
      '\n',
    );
    const child = spawn(process.execPath, ['--import', withoutHooks.href, '--input-type=module', '-e', code], {
      cwd: fileURLToPath(new URL('../../../../', import.meta.url)),
      env: { ...process.env, POSTHORN_DATABASE_URL: url, TAP_TIMEOUT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    const output: Buffer[] = [];
    for await (const chunk of child.stdout) output.push(chunk as Buffer);
    clearTimeout(limit);
    const tap = Buffer.concat(output).toString();
    const results = resultsOf(tap);
    const failed = results.filter(({ ok }) => !ok).map(({ name }) => name);
    if (!t.strictSame(failed.sort(), Object.keys(differences).sort())) t.comment(tap.replace(/^ *ok .*\n/gm, ''));
    t.ok(results.length > (isComplete ? 160 : 50), `${results.length} tests ran`);
    const hasEnded = t.strictSame(await ended, [failed.length === 0 ? 0 : 1, null], 'the process ended after all of them');
    if (!hasEnded) t.comment(tap.split('\n').slice(-LINES_SHOWN).join('\n'));
  }),
);

function resultsOf(tap: string): { readonly name: string; readonly ok: boolean }[] {
  return (Parser.parse(tap) as unknown as readonly [kind: string, result: { readonly name: string; readonly ok: boolean }][])
    .filter(([kind]) => kind === 'assert')
    .map(([, { name, ok }]) => ({ name: name.replace(/ # time=.*$/, ''), ok }));
}
