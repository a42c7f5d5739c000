import type { Request } from '@hapi/hapi';
import type { NotReady } from '../../../core/errors.js';
import { ADMIN_PREFIX } from '../../../core/kernel/http/area.js';
import type { LocalShards } from './local.js';
import { labelledMetrics } from './merge.js';
import { callOf, handOver } from './raw-calls.js';

interface ProcessParts {
  readonly local: LocalShards;
  readonly whyNotReady: () => NotReady | undefined;
  readonly prefix: string;
}

/**
 * Responds to calls that concern this process, such as probes and metrics.
 * @returns false when no shard of this process could respond
 * @throws NotReady
 */
export async function ofProcess(request: Request, { local, whyNotReady, prefix }: ProcessParts): Promise<boolean> {
  const servers = local.all();
  const [first] = servers.values();
  if (request.path === `${prefix}/ready`) {
    const refusal = whyNotReady();
    if (refusal) throw refusal;
    respondJson(request, { status: 'ready' });
    return true;
  }
  // A process without a shard keeps nothing in memory.
  if (!first) {
    if (request.path !== `${prefix}/health`) return false;
    respondJson(request, { status: 'ok', memory: 'enough' });
  } else if (request.path === `${prefix}${ADMIN_PREFIX}/metrics`) await metrics(request, servers);
  else handOver(request, first);
  return true;
}

/** The metrics of all shards in this process, each with the label `shard`. */
async function metrics(request: Request, servers: ReturnType<LocalShards['all']>): Promise<void> {
  const { url, headers } = callOf(request);
  const { 'accept-encoding': _, ...sent } = headers as Record<string, string>;
  const responses = await Promise.all(
    [...servers].map(async ([shard, server]) => [shard, await server.inject({ method: 'GET', url, headers: sent })] as const),
  );
  const [, shown] = responses.find(([, { statusCode }]) => statusCode !== 200) ?? responses[0]!;
  const text =
    shown.statusCode === 200 ? labelledMetrics(new Map(responses.map(([shard, { payload }]) => [shard, payload]))) : shown.payload;
  const { 'content-length': __, ...others } = shown.headers as Record<string, string>;
  request.raw.res.writeHead(shown.statusCode, others).end(text);
}

function respondJson({ raw: { res } }: Request, body: object): void {
  res.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' }).end(JSON.stringify(body));
}
