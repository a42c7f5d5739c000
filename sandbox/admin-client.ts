import type { RunFile } from './run-file.js';

/** An event of the event stream. */
export interface StreamEvent {
  readonly id: string;
  readonly at: string;
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: every event has a shape of its own, and commands look at a few of them
  readonly data: any;
}

/** The sandbox answered with an error, or not at all. */
export class SandboxUnreachable extends Error {
  override readonly name = 'SandboxUnreachable';
}

export async function adminGet(run: RunFile, path: string): Promise<unknown> {
  const response = await reach(run, path, {});
  if (!response.ok) throw new SandboxUnreachable(`the sandbox answered ${response.status} to GET ${path}: ${await response.text()}`);
  return response.json();
}

/** Opens the event stream; resolves when the sandbox has it open, so that nothing that happens afterwards is missed. */
export async function openEvents(
  run: RunFile,
  { after, signal }: { after?: string | undefined; signal: AbortSignal },
): Promise<AsyncGenerator<StreamEvent>> {
  const response = await reach(run, '/events', { signal, headers: after === undefined ? {} : { 'last-event-id': after } });
  if (!response.ok || !response.body) throw new SandboxUnreachable(`the sandbox answered ${response.status} to GET /events`);
  return events(response.body);
}

async function reach(
  { admin: { url, key } }: RunFile,
  path: string,
  init: { signal?: AbortSignal; headers?: Record<string, string> },
): Promise<Response> {
  try {
    return await fetch(`${url}${path}`, { ...init, headers: { ...init.headers, authorization: `Bearer ${key}` } });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new SandboxUnreachable(`the sandbox at ${url} does not answer`);
  }
}

async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      if (fields.event === 'gap') yield { id: '', at: new Date().toISOString(), name: 'gap', data: JSON.parse(fields.data!) };
      else if (fields.id !== undefined) yield { id: fields.id, ...JSON.parse(fields.data!) };
    }
  }
}
