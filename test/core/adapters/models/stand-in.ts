import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Tap } from '#core/testing';

/** A request as the endpoint received it. */
export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of the request
  readonly body: any;
}

/** How the endpoint responds: with this JSON, with these bytes, or never. */
export type Answering =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly json?: unknown; readonly text?: string }
  | 'hang'
  | 'break';

export interface StandIn {
  readonly baseUrl: string;
  readonly asked: Asked[];
  /** Its next responses, in order; the last one repeats. */
  answer(...answers: readonly Answering[]): void;
}

/** A local endpoint that speaks the chat completions protocol, or breaks it as a test demands. */
export async function standIn(t: Tap): Promise<StandIn> {
  let answers: readonly Answering[] = [];
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    asked.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(Buffer.concat(parts).toString()) });
    const answer = answers[Math.min(asked.length, answers.length) - 1] ?? { status: 500 };
    if (answer === 'hang') return;
    if (answer === 'break') return void request.socket.destroy();
    const { status = 200, headers = {}, json, text = json === undefined ? '' : JSON.stringify(json) } = answer;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    answer(...given) {
      answers = given;
      asked.length = 0;
    },
  };
}

/** A chat completion with this message. */
export const completion = (message: object, about: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1767600000,
  model: 'small',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  ...about,
});

/** A chat completion that calls tools. */
export const toolCalls = (...calls: readonly object[]) =>
  completion({ content: null, tool_calls: calls.map((call) => ({ type: 'function', ...call })) });
