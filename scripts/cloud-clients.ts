// Runs client libraries of the Cloud API, each with the calls of its README, against the stand-in.
// With `--record`, writes the results to test/plugins/cloud-api/testing/clients/results.json, of which the page of the stand-in shows a table.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ManualClock } from '../core/testing/index.js';
import { cloudApiStandIn } from '../plugins/cloud-api/testing/start.js';
import { installed, prepared, pythonPath } from './bench/measuring/on-demand.js';

const run = promisify(execFile);
const LIMIT_MS = 120_000;
const DRIVERS = 'test/plugins/cloud-api/testing/clients';
export const RESULTS = `${DRIVERS}/results.json`;
const TO = '16505551234';
const TEXT = 'Grüße 😀 1/2';

/** The result of each call: true if it succeeded, otherwise why it did not. */
export type CallResults = Readonly<Record<string, boolean | string>>;

export interface ClientLibrary {
  readonly name: string;
  readonly version: string;
  readonly language: string;
  /** Installs the library unless that was done before. @returns what runs its driver with an argument @throws Error when a registry does not provide it */
  readonly install: () => (given: string) => Promise<string>;
}

/** Runs a driver in a folder of its own, because packages of Node are searched beside the file that imports them. */
function nodeLibrary(name: string, version: string, driver: string): ClientLibrary {
  const install = () => {
    const modules = installed(`${name}@${version}`);
    return async (given: string) => {
      const folder = mkdtempSync(join(tmpdir(), 'posthorn-library-'));
      try {
        symlinkSync(modules, join(folder, 'node_modules'));
        for (const file of [driver, 'kit.mjs']) copyFileSync(join(DRIVERS, file), join(folder, file));
        return (await run(process.execPath, [join(folder, driver), given], { timeout: LIMIT_MS })).stdout;
      } finally {
        rmSync(folder, { recursive: true });
      }
    };
  };
  return { name, version, language: 'JavaScript', install };
}

function pythonLibrary(name: string, version: string, driver: string, ...others: string[]): ClientLibrary {
  const install = () => {
    const env = { ...process.env, ...pythonPath(`${name}==${version}`, ...others) };
    return async (given: string) => (await run('python3', [join(DRIVERS, driver), given], { timeout: LIMIT_MS, env })).stdout;
  };
  return { name, version, language: 'Python', install };
}

function phpLibrary(name: string, version: string, driver: string): ClientLibrary {
  const install = () => {
    const folder = prepared(`${name}-${version}`, 'composer', (draft, command) =>
      command('composer', ['require', '--no-interaction', '--quiet', '--working-dir', draft, `${name}:${version}`]),
    );
    const env = { ...process.env, LIBRARY: folder };
    return async (given: string) => (await run('php', [join(DRIVERS, driver), given], { timeout: LIMIT_MS, env })).stdout;
  };
  return { name, version, language: 'PHP', install };
}

export const clientLibraries: readonly ClientLibrary[] = [
  nodeLibrary('whatsapp-api-js', '6.3.0', 'whatsapp-api-js.mjs'),
  nodeLibrary('@kapso/whatsapp-cloud-api', '0.3.0', 'kapso.mjs'),
  nodeLibrary('@great-detail/whatsapp', '9.2.0', 'great-detail.mjs'),
  pythonLibrary('pywa', '4.4.0', 'pywa_calls.py', 'httpx'),
  pythonLibrary('heyoo', '0.1.2', 'heyoo_calls.py'),
  phpLibrary('netflie/whatsapp-cloud-api', '2.2.0', 'netflie.php'),
];

/** Runs the calls of a library against a stand-in of its own. */
export async function callsOf(drive: (given: string) => Promise<string>): Promise<CallResults> {
  const standIn = await cloudApiStandIn({ clock: new ManualClock() });
  const received: { readonly signature: string; readonly body: Buffer }[] = [];
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method === 'POST')
      received.push({ signature: String(request.headers['x-hub-signature-256']), body: Buffer.concat(chunks) });
    response.end(new URL(request.url!, 'http://receiver').searchParams.get('hub.challenge') ?? '');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  try {
    const { url, accessToken, appSecret, verifyToken, numbers } = standIn;
    const { phoneNumberId, wabaId } = numbers[0]!;
    await standIn.subscribe(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
    standIn.addTemplate({ name: 'hello', components: [{ type: 'BODY', text: 'Hello {{1}}' }] });
    const inbound = await standIn.write(TO, TEXT);
    const { signature, body } = received[0]!;
    const flow = await draftFlow({ url, accessToken, wabaId });
    const given = { url, accessToken, appSecret, verifyToken, phoneNumberId, wabaId, to: TO, text: TEXT, inbound, flow, signature };
    return JSON.parse(await drive(JSON.stringify({ ...given, webhook: body.toString('base64') })));
  } finally {
    await standIn.stop();
    receiver.closeAllConnections();
    receiver.close();
  }
}

/** Creates a flow that a message can open. @returns its id */
async function draftFlow({ url, accessToken, wabaId }: { url: string; accessToken: string; wabaId: string }): Promise<string> {
  const screen = { id: 'A', terminal: true, layout: { type: 'SingleColumnLayout', children: [] } };
  const response = await fetch(`${url}/v25.0/${wabaId}/flows`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'draft', categories: ['OTHER'], flow_json: JSON.stringify({ version: '7.3', screens: [screen] }) }),
  });
  return ((await response.json()) as { id: string }).id;
}

/** The results of the last recorded run: of a library the calls, or why it did not run. */
export type RecordedResults = Readonly<Record<string, CallResults | string>>;

export const recordedResults = (): RecordedResults => JSON.parse(readFileSync(RESULTS, 'utf8'));

async function record(): Promise<void> {
  const results: Record<string, CallResults | string> = {};
  for (const { name, install } of clientLibraries) {
    try {
      results[name] = await callsOf(install());
    } catch (error) {
      results[name] = (error as Error).message;
    }
    console.log(name, results[name]);
  }
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
}

if (process.argv[1]?.endsWith('cloud-clients.js') && process.argv.includes('--record')) await record();
