import { parentPort, workerData } from 'node:worker_threads';

/** The uploads of a client thread. */
export interface Uploads {
  readonly uri: string;
  readonly token: string;
  /** The size of the file in bytes. */
  readonly size: number;
  readonly count: number;
  /** Uploads in flight at the same time. */
  readonly atOnce: number;
}

/** The number of uploads by outcome: the status of the response, or the code with which `fetch` failed. */
export type Outcomes = Readonly<Record<string, number>>;

const { uri, token, size, count, atOnce } = workerData as Uploads;
const content = new Blob(['x'.repeat(size)]);
const outcomes: Record<string, number> = {};
let left = count;

async function upload(): Promise<string> {
  const body = new FormData();
  body.append('file', content, 'flow.json');
  const response = await fetch(uri, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body });
  await response.text();
  return String(response.status);
}

async function send(): Promise<void> {
  while (left-- > 0) {
    const outcome = await upload().catch((error: Error) => String((error.cause as { code?: string } | undefined)?.code ?? error));
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
}

await Promise.all(Array.from({ length: atOnce }, send));
parentPort?.postMessage(outcomes satisfies Outcomes);
