import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { adminGet, adminSend } from '../client/admin-client.js';
import { findRunFile, type RunFile } from '../client/run-file.js';
import { NoSandbox } from '../commands/command.js';
import { UsageError } from '../terminal/flags.js';
import { readJsonFile } from '../terminal/json-file.js';

/** What a request is answered, as far as it is shown; with `debug`. */
export interface SimulatedTurn {
  readonly state: 'waiting_for_input' | 'end';
  readonly message: string;
  readonly card: string;
  readonly http_calls: readonly {
    readonly method: string;
    readonly url: string;
    readonly status: number | null;
    readonly mocked: boolean;
    readonly failures: readonly string[];
  }[];
  readonly skill_calls: readonly { readonly name: string; readonly arguments: unknown; readonly output: unknown }[];
  readonly actions: readonly string[];
  readonly warnings: readonly { readonly block: string; readonly expression: string; readonly reason: string }[];
  readonly events: readonly { readonly type: string }[];
}

/** One simulation of a journey, wherever that is. */
export interface Simulation {
  /** @throws when the platform refuses, in its words */
  take(request: object): Promise<SimulatedTurn>;
  close(): Promise<void>;
}

type Post = (path: string, payload: object) => Promise<{ readonly status: number; readonly body: unknown }>;

const TOKEN_LIFE_MS = 3_600_000;

/** A journey in a file runs on a platform of its own, in memory; any other is looked for in the sandbox that runs here. */
export async function openSimulation(
  journey: string,
  about: { readonly cwd: string; readonly number: string | undefined },
): Promise<Simulation> {
  const file = resolve(about.cwd, journey);
  if (existsSync(file)) return simulationOfFile(file);
  const run = findRunFile(about.cwd);
  if (run) return simulationInSandbox(run, journey, about.number);
  if (looksLikeFile(journey)) throw new UsageError(`there is no file ${journey}`);
  throw new NoSandbox();
}

const looksLikeFile = (journey: string): boolean => /[/\\]|\.json$/.test(journey);

async function simulationOfFile(file: string): Promise<Simulation> {
  const definition = readJsonFile(file);
  const { openLocalPlatform } = await import('./local-platform.js');
  const { post, journey, close } = await openLocalPlatform(definition);
  return simulationOver(post, journey, close);
}

async function simulationInSandbox(run: RunFile, name: string, address: string | undefined): Promise<Simulation> {
  const { numbers } = (await adminGet(run, '/numbers')) as { numbers: readonly { uuid: string; address: string }[] };
  const asked = numbers.filter((number) => address === undefined || number.address === address);
  if (asked.length === 0 && address !== undefined) {
    throw new UsageError(`there is no number ${address}; there are ${numbers.map((number) => number.address).join(', ') || 'none'}`);
  }
  const found = [];
  for (const number of asked) {
    const { journeys } = (await adminGet(run, `/journeys?number=${number.uuid}`)) as {
      journeys: readonly { uuid: string; name: string }[];
    };
    found.push(...journeys.map((journey) => ({ ...journey, number })));
  }
  const fitting = found.filter((journey) => journey.uuid === name || journey.name === name);
  const [first, another] = fitting;
  const nothing = looksLikeFile(name) ? `there is no file ${name}, and no journey of that name` : `there is no journey '${name}'`;
  if (!first) throw new UsageError(`${nothing}; there are ${found.map((journey) => journey.name).join(', ') || 'none'}`);
  if (another) {
    const places = fitting.map(({ number, uuid }) => `${uuid} of ${number.address}`).join(', ');
    throw new UsageError(`several journeys are called '${name}': ${places}; say its uuid, or --number`);
  }
  const expires_at = new Date(Date.now() + TOKEN_LIFE_MS).toISOString();
  const path = `/numbers/${first.number.uuid}/tokens`;
  const issued = (await adminSend(run, 'POST', path, { name: 'posthorn sim', expires_at })) as { token: { uuid: string }; text: string };
  const post: Post = async (path, payload) => {
    const headers = { authorization: `Bearer ${issued.text}`, 'content-type': 'application/json' };
    const response = await fetch(`${run.api}${path}`, { method: 'POST', headers, body: JSON.stringify(payload) });
    return { status: response.status, body: await response.json() };
  };
  const close = async (): Promise<void> => {
    await adminSend(run, 'DELETE', `${path}/${issued.token.uuid}`);
  };
  return simulationOver(post, first.uuid, close);
}

function simulationOver(post: Post, journey: string, close: () => Promise<void>): Simulation {
  const simulation_id = crypto.randomUUID();
  return {
    async take(request) {
      const { status, body } = await post(`/v1/journeys/${journey}/simulation`, { ...request, simulation_id, debug: true });
      if (status === 200) return body as SimulatedTurn;
      const { errors = [] } = body as { errors?: readonly (string | { readonly details?: string })[] };
      throw new Error(errors.map((error) => (typeof error === 'string' ? error : error.details)).join('; ') || `answered ${status}`);
    },
    close,
  };
}
