import { messageOf } from '../../errors.js';
import type { Clock } from '../../ports/clock.js';
import type { HttpClient, HttpOutcome } from '../../ports/http-client.js';
import type { ChatModel, ModelCall, ModelConnection, ModelFailure, ModelMessage, ModelOutcome, ModelRequest } from '../../ports/model.js';
import { withoutSecret } from './without-secret.js';

const DEADLINE_MS = 30_000;
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
/** Number of retries when the API is busy or fails, and the longest `Retry-After` that is respected. */
const RETRIES = 2;
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 20_000;

/** Optional packages, imported on first use, so that only platforms with such a connection need them. */
const loadPackages = async (): Promise<typeof import('ai') & typeof import('@ai-sdk/openai-compatible')> => {
  const [ai, provider] = await Promise.all([import('ai'), import('@ai-sdk/openai-compatible')]);
  return { ...ai, ...provider };
};

/**
 * Calls any endpoint that supports the chat completions protocol. Requests go through the platform's HTTP client with its
 * deadline, size limit and address guard. It follows no redirects, so the token is sent only to the configured host.
 */
export class OpenAiCompatibleModel implements ChatModel {
  readonly #connection: Pick<ModelConnection, 'baseUrl' | 'token'>;
  readonly #ports: { readonly http: Pick<HttpClient, 'send'>; readonly clock: Clock };
  readonly #load: typeof loadPackages;

  constructor(
    connection: Pick<ModelConnection, 'baseUrl' | 'token'>,
    ports: { readonly http: Pick<HttpClient, 'send'>; readonly clock: Clock },
    load = loadPackages,
  ) {
    this.#connection = connection;
    this.#ports = ports;
    this.#load = load;
  }

  async generate(request: ModelRequest): Promise<ModelOutcome> {
    const packages = await this.#load().catch(() => undefined);
    if (!packages) {
      const reason = 'this connection needs two packages that are not installed: npm install ai@6 @ai-sdk/openai-compatible@2';
      return { kind: 'failed', code: 'model_not_available', reason };
    }
    const { clock } = this.#ports;
    for (let attempt = 0; ; attempt++) {
      const { outcome, httpOutcome } = await this.#call(packages, request);
      const waitMs = attempt < RETRIES ? waitBefore(httpOutcome, attempt, clock.now()) : undefined;
      if (waitMs === undefined) return withoutSecret(outcome, this.#connection.token);
      await (clock.ofRequests ?? clock).sleep(waitMs);
    }
  }

  async #call(packages: Awaited<ReturnType<typeof loadPackages>>, request: ModelRequest) {
    const { baseUrl = '', token } = this.#connection;
    let httpOutcome: HttpOutcome | undefined;
    const provider = packages.createOpenAICompatible({
      name: 'endpoint',
      baseURL: baseUrl,
      ...(token !== undefined && { apiKey: token }),
      fetch: async (url, { method = 'POST', headers, body } = {}) => {
        httpOutcome = await this.#ports.http.send({
          method,
          url: String(url),
          headers: Object.fromEntries(new Headers(headers)),
          body: String(body),
          deadlineMs: DEADLINE_MS,
          maxResponseBytes: MAX_RESPONSE_BYTES,
        });
        if (httpOutcome.kind !== 'response') throw new Error(httpOutcome.kind);
        return new Response(normalized(httpOutcome.body), { status: httpOutcome.status, headers: { 'content-type': 'application/json' } });
      },
    });
    const { model, messages, tools, temperature, maxTokens } = request;
    const { generateText, tool, jsonSchema } = packages;
    try {
      const result = await generateText({
        model: provider.chatModel(model),
        messages: messages.map(toSdkMessage),
        allowSystemInMessages: true,
        ...(tools.length > 0 && {
          tools: Object.fromEntries(
            tools.map(({ name, description, parameters }) => [name, tool({ description, inputSchema: jsonSchema(parameters) })]),
          ),
        }),
        ...(temperature !== undefined && { temperature }),
        ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
        maxRetries: 0,
      });
      const calls = result.toolCalls.map(
        ({ toolCallId: id, toolName: name, input }): ModelCall => ({
          id,
          name,
          arguments: typeof input === 'string' ? input : JSON.stringify(input ?? {}),
        }),
      );
      const tokens = { input: result.usage.inputTokens ?? 0, output: result.usage.outputTokens ?? 0 };
      return { outcome: { kind: 'reply', text: result.text, calls, tokens } as const, httpOutcome };
    } catch (error) {
      return { outcome: failureOf(httpOutcome, error), httpOutcome };
    }
  }
}

type SdkMessage = Parameters<Awaited<ReturnType<typeof loadPackages>>['generateText']>[0] extends { messages?: (infer M)[] } ? M : never;

function toSdkMessage(message: ModelMessage): SdkMessage {
  if (message.role === 'tool') {
    const { call: toolCallId, name: toolName, content: value } = message;
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } }] };
  }
  if (message.role !== 'assistant' || !message.calls?.length) return { role: message.role, content: message.content };
  const calls = message.calls.map(({ id, name, arguments: input }) => ({
    type: 'tool-call' as const,
    toolCallId: id,
    toolName: name,
    input: jsonOrText(input),
  }));
  return { role: 'assistant', content: [...(message.content === '' ? [] : [{ type: 'text' as const, text: message.content }]), ...calls] };
}

/** Normalizes responses that differ from the protocol: arguments as an object or missing, tool calls without an id. */
function normalized(body: Uint8Array): string {
  const text = new TextDecoder().decode(body);
  const completion = jsonOrText(text) as {
    choices?: { message?: { tool_calls?: { id?: unknown; function?: { arguments?: unknown } }[] } }[];
  };
  if (typeof completion !== 'object' || completion === null || !Array.isArray(completion.choices)) return text;
  for (const { message } of completion.choices) {
    for (const [i, call] of (Array.isArray(message?.tool_calls) ? message.tool_calls : []).entries()) {
      if (typeof call.id !== 'string' || call.id === '') call.id = `call-${i}`;
      const args = call.function?.arguments;
      if (call.function && typeof args !== 'string') call.function.arguments = JSON.stringify(args ?? {});
      if (call.function && typeof args === 'string' && args.trim() === '') call.function.arguments = '{}';
    }
  }
  return JSON.stringify(completion);
}

function failureOf(outcome: HttpOutcome | undefined, error: unknown): Extract<ModelOutcome, { kind: 'failed' }> {
  const failed = (code: ModelFailure, reason: string) => ({ kind: 'failed', code, reason }) as const;
  const message = messageOf(error);
  if (outcome === undefined) return failed('model_refused', `the request could not be sent: ${message.slice(0, 200)}`);
  if (outcome.kind === 'timeout') return failed('model_timeout', `no response within ${DEADLINE_MS / 1000} s`);
  if (outcome.kind === 'unreachable') return failed('model_unavailable', outcome.reason);
  if (outcome.cut) return failed('model_bad_answer', `the response is larger than ${MAX_RESPONSE_BYTES} bytes or incomplete`);
  const reason = `the model API responded with status ${outcome.status}: ${message.slice(0, 200)}`;
  if (outcome.status === 429) return failed('model_rate_limited', reason);
  if (outcome.status >= 500) return failed('model_unavailable', reason);
  if (outcome.status >= 300) return failed('model_refused', reason);
  return failed('model_bad_answer', `the response is not a chat completion: ${message.slice(0, 200)}`);
}

/** Milliseconds to wait before a retry; undefined if a retry would not help. */
function waitBefore(outcome: HttpOutcome | undefined, attempt: number, now: Date): number | undefined {
  if (outcome?.kind !== 'response' || (outcome.status !== 429 && outcome.status < 500)) return undefined;
  const retryAfter = outcome.headers['retry-after'];
  if (retryAfter === undefined) return FIRST_WAIT_MS * 2 ** attempt;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now.getTime();
  return Number.isFinite(ms) && ms <= MAX_WAIT_MS ? Math.max(0, ms) : undefined;
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
