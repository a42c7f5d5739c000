import Hapi from '@hapi/hapi';
import Joi from 'joi';
import { Pool } from 'undici';
import { createPlatform, type JsonObject } from '#core';
import type { Environment } from '../../core/engine/session.js';
import { shareDefinition } from '../../core/engine/shared-definition.js';
import stepTask from '../../core/engine/step.task.js';
import { journeys } from '../../plugins/journeys/plugin.js';
import { simulation } from '../../plugins/simulation/plugin.js';
import { requestSchema } from '../../plugins/simulation/schemas.js';
import { median } from './measuring/table.js';
import { answers, menuJourney } from './menu-journey.js';

/** A client starts a new simulation after this many turns, and the engine a new session. */
const TURNS = 20;

/** Medians of one number of concurrent clients, in microseconds of wall time per turn. The client runs in the same process. */
export interface SimulationFigures {
  readonly clients: number;
  /** A bare hapi route with the same validation: the floor. */
  readonly bareUs: number;
  /** The engine alone, on this thread, with the session as a string. */
  readonly engineUs: number;
  readonly turnUs: number;
  /** The bare route plus twice the engine: the price that a turn may have. */
  readonly targetUs: number;
  /** `bareUs` / `turnUs`; the goal is 0.6. */
  readonly ratio: number;
  /** CPU time of the whole process, in which the threads of the workers and of garbage collection count too. */
  readonly cpu: { readonly bareUs: number; readonly turnUs: number };
}

/** Microseconds per turn. */
interface Cost {
  readonly wallUs: number;
  readonly cpuUs: number;
}

export interface SimulationBenchOptions {
  readonly clients?: readonly number[];
  /** Measured rounds per number of clients, after one that warms up. */
  readonly rounds?: number;
  /** Milliseconds of each side in a round. */
  readonly roundMs?: number;
}

/** Measures turns of simulations through the API, the bare route and the engine. The order of the three changes from round to round. */
export async function measureSimulation({
  clients = [1, 16, 256],
  rounds = 5,
  roundMs = 1_000,
}: SimulationBenchOptions = {}): Promise<SimulationFigures[]> {
  const server = Hapi.server({ host: '127.0.0.1', port: 0 });
  const platform = createPlatform({ plugins: [journeys(), simulation()], rateLimits: false });
  await server.register(platform.hapiPlugin);
  server.route({
    method: 'POST',
    path: '/bare/{uuid}',
    options: { validate: { params: Joi.object({ uuid: Joi.string().guid() }) as never, payload: requestSchema as never } },
    handler: ({ payload }) => ({ ...(payload as object), message: 'x'.repeat(300) }),
  });
  await server.start();
  const { uuid, token } = await platform.store.transaction(async (tx) => {
    const number = platform.numbers.create(tx, { kind: 'network', type: 'network', address: '+1', name: 'Bench' });
    const definition = menuJourney() as unknown as JsonObject;
    const { journey } = await platform.journeys.put(tx, { number: number.uuid, name: 'Menu', definition, triggers: [] });
    await platform.journeys.publish(tx, journey.uuid, 'production');
    return { uuid: journey.uuid, token: platform.tokens.issue(tx, number.uuid, 'bench').text };
  });
  const pool = new Pool(`http://127.0.0.1:${server.info.port}`, { connections: Math.max(...clients) });
  let started = 0;

  /** A client that runs turns until the time is up. @returns the number of turns */
  async function client(path: string, end: number): Promise<number> {
    for (let turns = 0, id = '', turnInSimulation = TURNS; ; turns++, turnInSimulation++) {
      if (performance.now() > end) return turns;
      if (turnInSimulation === TURNS) [id, turnInSimulation] = [`bench-${++started}`, 0];
      const body = { simulation_id: id, ...(turnInSimulation > 0 && { input: answerTo(turnInSimulation) }) };
      const response = await pool.request({
        method: 'POST',
        path,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await response.body.text();
      if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${text}`);
    }
  }

  async function requests(path: string, concurrent: number): Promise<Cost> {
    const finish = startCost();
    const end = performance.now() + roundMs;
    const turns = await Promise.all(Array.from({ length: concurrent }, () => client(path, end)));
    return finish(turns.reduce((sum, count) => sum + count, 0));
  }

  const figures: SimulationFigures[] = [];
  for (const concurrent of clients) {
    const sides: [measured: Cost[], measure: () => Cost | Promise<Cost>][] = [
      [[], () => requests(`/bare/${uuid}`, concurrent)],
      [[], () => requests(`/v1/journeys/${uuid}/simulation`, concurrent)],
      [[], () => engineTurns(roundMs / 4)],
    ];
    for (let round = -1; round < rounds; round++) {
      for (let i = 0; i < sides.length; i++) {
        const [measured, measure] = sides[(round + 1 + i) % sides.length]!;
        const cost = await measure();
        if (round >= 0) measured.push(cost);
      }
    }
    const [bare, turn, engine] = sides.map(([measured]) => ({
      wallUs: median(measured.map(({ wallUs }) => wallUs)),
      cpuUs: median(measured.map(({ cpuUs }) => cpuUs)),
    })) as [Cost, Cost, Cost];
    figures.push({
      clients: concurrent,
      bareUs: bare.wallUs,
      engineUs: engine.wallUs,
      turnUs: turn.wallUs,
      targetUs: bare.wallUs + 2 * engine.wallUs,
      ratio: bare.wallUs / turn.wallUs,
      cpu: { bareUs: bare.cpuUs, turnUs: turn.cpuUs },
    });
  }
  await pool.close();
  await server.stop();
  return figures;
}

const answerTo = (turn: number): string => `Option ${answers[turn % answers.length]}`;

/** Starts to measure. @returns a function that divides what has passed by a number of turns */
function startCost(): (turns: number) => Cost {
  const [began, before] = [performance.now(), process.cpuUsage()];
  return (turns) => {
    const { user, system } = process.cpuUsage(before);
    return { wallUs: ((performance.now() - began) * 1000) / turns, cpuUs: (user + system) / turns };
  };
}

/** Runs turns of the engine for a time, as a worker does for the API. */
function engineTurns(ms: number): Cost {
  const environment: Environment = { now: '2025-01-15T09:30:00.000Z', timeZone: 'UTC', seed: 'seed' };
  const definitions = { r: shareDefinition(menuJourney()) };
  const contact = { name: 'Bo' };
  const finish = startCost();
  const end = performance.now() + ms;
  let turns = 0;
  for (let session: string | null = null; performance.now() < end; turns++) {
    const turn = turns % TURNS;
    if (turn === 0) session = null;
    const text = answerTo(turn);
    ({ session } = stepTask({
      definitions,
      session,
      signal:
        session === null
          ? { kind: 'start', session: 's', journey: 'j', revision: 'r', contact, globals: {} }
          : { kind: 'input', input: { text, type: 'text', message: { type: 'text', text: { body: text } } } },
      environment,
    }));
  }
  return finish(turns);
}
