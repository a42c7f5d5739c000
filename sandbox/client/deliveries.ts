import { UsageError } from '../terminal/flags.js';
import { adminGet, SandboxRefused } from './admin-client.js';
import type { RunFile } from './run-file.js';

/** Deliveries that the admin API lists at a time. */
const PAGE = 500;

/** A delivery as the admin API shows it. */
export interface Delivery {
  readonly uuid: string;
  readonly webhook: string;
  readonly subscription: string;
  readonly state: string;
  readonly attempts: number;
  readonly created_at: string;
  readonly lane?: string;
  readonly reason?: string;
  readonly last_status?: number;
  readonly last_error?: string;
  readonly due_at?: string;
  readonly held_at?: string;
}

/** An attempt of one. */
export interface Attempt {
  readonly n: number;
  readonly run: number;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly status: number;
  readonly lane: string;
  readonly error: string | null;
  readonly response: string | null;
}

/** One delivery with what was sent and what came of it. */
export interface ShownDelivery {
  readonly delivery: Delivery;
  readonly body: string;
  readonly attempts: readonly Attempt[];
}

/** Which deliveries are listed. */
export interface Choice {
  readonly webhook?: string | undefined;
  readonly number?: string | undefined;
  readonly state?: string | undefined;
  readonly reason?: string | undefined;
  /** ISO 8601; queued then or later, and before. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit: number;
}

/** The newest first. What the admin API has no index for is looked for page by page. */
export async function listDeliveries(run: RunFile, { webhook, number, state, reason, from, to, limit }: Choice): Promise<Delivery[]> {
  const found: Delivery[] = [];
  const since = from === undefined ? undefined : Date.parse(from);
  let after: string | undefined;
  for (;;) {
    const query = new URLSearchParams({ limit: String(PAGE) });
    for (const [name, value] of Object.entries({ webhook, number, ...(after === undefined ? { before: to } : { after }) })) {
      if (value !== undefined) query.set(name, value);
    }
    const { deliveries } = (await adminGet(run, `/deliveries?${query}`)) as { deliveries: Delivery[] };
    for (const delivery of deliveries) {
      if (since !== undefined && Date.parse(delivery.created_at) < since) return found;
      if ((state ?? delivery.state) === delivery.state && (reason ?? delivery.reason) === delivery.reason) found.push(delivery);
      if (found.length === limit) return found;
    }
    if (deliveries.length < PAGE) return found;
    after = deliveries.at(-1)!.uuid;
  }
}

/** @throws UsageError when there is none with this uuid */
export async function requireKnown(run: RunFile, kind: 'webhook' | 'number', uuid: string | undefined): Promise<void> {
  if (uuid === undefined) return;
  await adminGet(run, `/${kind}s/${encodeURIComponent(uuid)}`).catch((error: unknown) => {
    throw error instanceof SandboxRefused && error.status === 404 ? new UsageError(`there is no ${kind} ${uuid}`) : error;
  });
}
