import type { SignatureStepShown } from '../reports/signature-report.js';
import { UsageError } from '../terminal/flags.js';
import { adminGet, SandboxRefused } from './admin-client.js';
import type { RunFile } from './run-file.js';

/** The maximum number of deliveries in one response of the admin API. */
const PAGE_SIZE = 500;

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
  readonly last_no_response?: string;
  readonly last_error?: string;
  readonly due_at?: string;
  readonly held_at?: string;
  readonly replay_of?: string;
  /** The address of the number. */
  readonly number_address?: string;
  /** The address of the contact whose message it is about. */
  readonly contact?: string;
}

export interface Attempt {
  readonly uuid: string;
  readonly n: number;
  readonly run: number;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly status: number;
  readonly no_response: string | null;
  readonly lane: string;
  readonly error: string | null;
  readonly response: string | null;
}

export interface DeliveryDetails {
  readonly delivery: Delivery;
  readonly body: string;
  readonly attempts: readonly Attempt[];
  /** The exchanges of the newest attempts, if the platform records them. */
  readonly details?: readonly DeliveryDetail[];
  /** Why the response that accepted the message is of no use, and what to do. */
  readonly answer_fault?: string;
}

export interface DeliveryDetail {
  readonly attempt: string | null;
  readonly url: string;
  readonly request: { readonly headers: readonly (readonly [string, string])[]; readonly body: DetailBody };
  readonly signatures: readonly { readonly header: string; readonly signature: string; readonly steps: readonly SignatureStepShown[] }[];
  readonly response: {
    readonly status: number;
    readonly headers: readonly (readonly [string, string])[];
    readonly body: DetailBody;
  } | null;
  /** Milliseconds; null for a phase that did not happen. */
  readonly timing: Readonly<Record<'queue' | 'dns' | 'connect' | 'tls' | 'wait' | 'read', number | null>> | null;
  readonly fault: { readonly rule: string; readonly kind: string } | null;
}

interface DetailBody {
  readonly bytes: number;
  readonly encoding: 'utf8' | 'base64';
  readonly content: string;
  readonly cut: boolean;
}

export interface DeliveryFilter {
  readonly webhook?: string | undefined;
  readonly number?: string | undefined;
  readonly state?: string | undefined;
  readonly reason?: string | undefined;
  /** ISO 8601. Selects deliveries queued at `from` or later, and before `to`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit: number;
}

/** Lists deliveries, newest first. Filters by reason and `from` here, page by page, as the admin API has no such filters. */
export async function listDeliveries(
  run: RunFile,
  { webhook, number, state, reason, from, to, limit }: DeliveryFilter,
): Promise<Delivery[]> {
  const found: Delivery[] = [];
  const since = from === undefined ? undefined : Date.parse(from);
  let after: string | undefined;
  for (;;) {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE) });
    for (const [name, value] of Object.entries({ webhook, number, state, ...(after === undefined ? { before: to } : { after }) })) {
      if (value !== undefined) query.set(name, value);
    }
    const { deliveries } = (await adminGet(run, `/deliveries?${query}`)) as { deliveries: Delivery[] };
    for (const delivery of deliveries) {
      if (since !== undefined && Date.parse(delivery.created_at) < since) return found;
      if ((reason ?? delivery.reason) === delivery.reason) found.push(delivery);
      if (found.length === limit) return found;
    }
    if (deliveries.length < PAGE_SIZE) return found;
    after = deliveries.at(-1)!.uuid;
  }
}

/** @throws UsageError when the webhook or number does not exist */
export async function requireExisting(run: RunFile, kind: 'webhook' | 'number', uuid: string | undefined): Promise<void> {
  if (uuid === undefined) return;
  await adminGet(run, `/${kind}s/${encodeURIComponent(uuid)}`).catch((error: unknown) => {
    throw error instanceof SandboxRefused && error.status === 404 ? new UsageError(`${kind} ${uuid} not found`) : error;
  });
}
