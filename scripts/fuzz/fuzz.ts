import type { ServerInjectResponse } from '@hapi/hapi';
import fc from 'fast-check';
import type { Plugin } from '#core';
import type { Tap } from '#core/testing';
import { routesOf } from '../docs/everything.js';
import { largeFlows } from './large-flows.js';
import { notebooks } from './notebooks.js';
import { type FuzzRequest, requestsTo } from './requests.js';
import { startWorld, type World } from './world.js';

export interface FuzzOptions {
  readonly requests: number;
  readonly seed: number;
  /** The run ends after this many milliseconds, even if fewer requests were sent. */
  readonly limitMs: number;
  /** Plugins in addition to those of the project. */
  readonly also?: readonly Plugin[];
}

export interface FuzzReport {
  readonly sent: number;
  readonly routes: number;
  readonly byStatus: Readonly<Record<string, number>>;
  /** The faults, each with the request that shows it. */
  readonly complaints: readonly string[];
}

/** Responses that never end; other tests cover them. */
const STREAMS = ['/admin/v1/events'];
/** Requests per platform. A new platform follows, so that a fault is reproduced in at most this many requests. */
const PER_WORLD = 2_000;
/** Few, as the platform validates each on its main thread for up to seconds. */
const LARGE_FLOWS_PER_WORLD = 3;
const NOTEBOOKS_PER_WORLD = 40;
const HANG_MS = 10_000;
const MAX_COMPLAINTS = 10;

/** Sends requests that match or nearly match the schemas of every route, and reports 5xx responses, hanging requests and logged errors. */
export async function fuzz(t: Tap, { requests, seed, limitMs, also = [] }: FuzzOptions): Promise<FuzzReport> {
  const byStatus: Record<string, number> = {};
  const complaints: string[] = [];
  const until = performance.now() + limitMs;
  let sent = 0;
  let visited = 0;
  const isOver = (): boolean => sent >= requests || complaints.length >= MAX_COMPLAINTS || performance.now() > until;
  for (let round = 0; !isOver(); round++) await visit(await startWorld(t, also), seed + round);
  return { sent, routes: visited, byStatus, complaints };

  async function visit(world: World, seed: number): Promise<void> {
    const routes = routesOf(world.server).filter(({ path }) => !STREAMS.includes(path));
    visited = routes.length;
    const each = Math.max(1, Math.ceil(Math.min(PER_WORLD, requests - sent) / routes.length));
    const drawn = routes.map((mounted, i) => fc.sample(requestsTo(mounted, world), { numRuns: each, seed: seed * 1_000 + i }));
    // DELETE requests come last, so that the other requests find existing records.
    for (const deletes of [false, true]) {
      const some = drawn.filter(([request]) => (request?.method === 'DELETE') === deletes);
      for (let n = 0; n < each; n++) {
        for (const requests of some) if (!isOver()) await ask(world, requests[n]!, seed);
        await world.settle();
      }
    }
    const large = fc.sample(largeFlows(world), { numRuns: LARGE_FLOWS_PER_WORLD, seed });
    for (const request of [...large, ...fc.sample(notebooks(world), { numRuns: NOTEBOOKS_PER_WORLD, seed })])
      if (!isOver()) await ask(world, request, seed);
    for (const { message, fields } of world.failures()) {
      if (complaints.length < MAX_COMPLAINTS) complaints.push(`seed ${seed}, logged: ${message} ${JSON.stringify(fields).slice(0, 1_000)}`);
    }
    await world.server.stop();
  }

  async function ask(world: World, request: FuzzRequest, seed: number): Promise<void> {
    sent++;
    const complaint = await send(world, request);
    if (complaint !== undefined) complaints.push(`seed ${seed}, ${JSON.stringify(request).slice(0, 1_500)}: ${complaint}`);
  }

  async function send({ server }: World, request: FuzzRequest): Promise<string | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const hang = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), HANG_MS);
    });
    const answer = await Promise.race([server.inject(request), hang]);
    clearTimeout(timer);
    if (!answer) return `no response within ${HANG_MS / 1_000} s`;
    byStatus[answer.statusCode] = (byStatus[answer.statusCode] ?? 0) + 1;
    return failureOf(answer);
  }
}

/** The fault of a response: every 5xx is one. Also names a missing Retry-After. */
export function failureOf({ statusCode, headers, payload }: Pick<ServerInjectResponse, 'statusCode' | 'headers' | 'payload'>) {
  if (statusCode < 500) return undefined;
  const lack = /^[1-9]\d*$/.test(String(headers['retry-after'])) ? '' : ' without Retry-After';
  return `status ${statusCode}${lack}: ${payload.slice(0, 1_000)}`;
}
