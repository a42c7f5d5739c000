import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { adminGet, adminSend } from '../client/admin-client.js';
import { findRunFile, type RunFile } from '../client/run-file.js';
import { NoSandbox } from '../commands/command.js';
import { readJourneyFile } from '../notebooks/journey-file.js';
import { UsageError } from '../terminal/flags.js';

/** The fields of a simulation response with `debug` that the command prints. */
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
  readonly warnings: readonly {
    readonly block: string;
    readonly expression: string;
    readonly reason: string;
    /** For notebooks. */
    readonly line?: number;
  }[];
  readonly events: readonly { readonly type: string }[];
}

/** A simulation of a journey, in a local platform or in the running sandbox. */
export interface Simulation {
  /** Runs one turn. @throws Error with the platform's message when the platform refuses the request */
  turn(request: object): Promise<SimulatedTurn>;
  close(): Promise<void>;
}

type Post = (path: string, payload: object) => Promise<{ readonly status: number; readonly body: unknown }>;

const TOKEN_LIFE_MS = 3_600_000;

/** Opens a simulation. `journey` is the path of a file, which runs on its own platform in memory, or the name or uuid of a journey in the running sandbox. */
export async function openSimulation(
  journey: string,
  options: {
    readonly cwd: string;
    readonly number: string | undefined;
    readonly skills?: string | undefined;
    readonly warn: (line: string) => void;
  },
): Promise<Simulation> {
  const file = resolve(options.cwd, journey);
  if (existsSync(file)) return simulationOfFile(file, options);
  if (options.skills !== undefined) throw new UsageError('--skills is for a journey in a file; a sandbox has skills of its own');
  const run = findRunFile(options.cwd);
  if (run) return simulationInSandbox(run, journey, options.number);
  if (looksLikeFile(journey)) throw new UsageError(`file ${journey} not found`);
  throw new NoSandbox();
}

const looksLikeFile = (journey: string): boolean => /[/\\]|\.(?:json|md|markdown)$/.test(journey);

async function simulationOfFile(file: string, { cwd, skills, warn }: Parameters<typeof openSimulation>[1]): Promise<Simulation> {
  const source = readJourneyFile(file);
  const { askForStandIns, missingSkills, readStandIns } = await import('./skill-stand-ins.js');
  const written = skills === undefined ? {} : readStandIns(skills, cwd);
  const missing = missingSkills(source, written);
  const isTerminal = process.stdin.isTTY === true;
  const standIns = missing.length > 0 && isTerminal ? { ...written, ...(await askForStandIns(missing)) } : written;
  if (!isTerminal)
    for (const name of missing)
      warn(`The skill ${name} is not in the file. Stand in for it: --skills FILE with {${JSON.stringify(name)}: {"output": …}}`);
  const { openLocalPlatform } = await import('./local-platform.js');
  const { post, journey, close } = await openLocalPlatform(source, standIns);
  return simulationOver(post, journey, close);
}

async function simulationInSandbox(run: RunFile, name: string, address: string | undefined): Promise<Simulation> {
  const { numbers } = (await adminGet(run, '/numbers')) as { numbers: readonly { uuid: string; address: string }[] };
  const searched = numbers.filter((number) => address === undefined || number.address === address);
  if (searched.length === 0 && address !== undefined) {
    throw new UsageError(`number ${address} not found; existing numbers: ${numbers.map((number) => number.address).join(', ') || 'none'}`);
  }
  const found = [];
  for (const number of searched) {
    const { journeys } = (await adminGet(run, `/journeys?number=${number.uuid}`)) as {
      journeys: readonly { uuid: string; name: string }[];
    };
    found.push(...journeys.map((journey) => ({ ...journey, number })));
  }
  const matching = found.filter((journey) => journey.uuid === name || journey.name === name);
  const [first, another] = matching;
  const notFound = looksLikeFile(name) ? `neither a file nor a journey '${name}' found` : `journey '${name}' not found`;
  if (!first)
    throw new UsageError(`${notFound}; existing journeys: ${[...new Set(found.map((journey) => journey.name))].join(', ') || 'none'}`);
  if (another) {
    const places = matching.map(({ number, uuid }) => `${uuid} of ${number.address}`).join(', ');
    throw new UsageError(`several journeys are named '${name}': ${places}; use the uuid, or --number`);
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
    async turn(request) {
      const { status, body } = await post(`/v1/journeys/${journey}/simulation`, { ...request, simulation_id, debug: true });
      if (status === 200) return body as SimulatedTurn;
      const { errors = [] } = body as { errors?: readonly (string | { readonly details?: string })[] };
      throw new Error(
        errors.map((error) => (typeof error === 'string' ? error : error.details)).join('; ') || `the platform responded ${status}`,
      );
    },
    close,
  };
}
