import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { Parser } from 'tap-parser';
import { withDatabase } from '../postgres/with-database.js';

const tests = new URL('../../plugins/', import.meta.url);
const support = new URL('three-processes.js', import.meta.url);

/** The tests of the areas of the interface: channels, webhooks, flows, messages, integration, simulation, journeys. */
const files = [
  ...['interface-channels', 'interface-turns', 'interface-webhooks', 'interface-journey-turns', 'interface-parked'],
  ...['messages/send', 'messages/contacts', 'messages/media', 'messages/claims', 'messages/templates'],
  ...['flows/api', 'flows/life-cycle', 'flows/conversation'],
  ...['integration/handshake', 'integration/actions', 'integration/panels'],
  ...['simulation/interface', 'simulation/session', 'journeys/stacks'],
];

/** The tests that fail with several processes, and why. The page on clusters lists the reasons. */
const differences: Readonly<Record<string, string>> = {};

t.test(
  'the tests of the interface pass with three processes on PostgreSQL, except those of known differences',
  withDatabase(async (t, { url }) => {
    const imports = files.map((file) => `await import(${JSON.stringify(new URL(`${file}.test.js`, tests).href)});`);
    const code = [`(await import(${JSON.stringify(support.href)})).useThreeProcesses(process.env.POSTHORN_DATABASE_URL);`, ...imports].join(
      '\n',
    );
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      cwd: fileURLToPath(new URL('../../../../', import.meta.url)),
      env: { ...process.env, POSTHORN_DATABASE_URL: url, TAP_TIMEOUT: '0' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const results = new Map<string, boolean>();
    const parser = new Parser();
    parser.on('assert', ({ name, ok }: { name: string; ok: boolean }) => results.set(name.replace(/ # time=.*$/, ''), ok));
    child.stdout.pipe(parser as unknown as NodeJS.WritableStream);
    await new Promise((resolve) => parser.on('complete', resolve));
    const failed = [...results].flatMap(([name, ok]) => (ok ? [] : [name]));
    t.strictSame(failed.sort(), Object.keys(differences).sort());
    t.ok(results.size > 60, `${results.size} tests ran`);
  }),
);
