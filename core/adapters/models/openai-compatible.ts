import { messageOf } from '../../errors.js';
import type { Clock } from '../../ports/clock.js';
import type { HttpClient, HttpOutcome } from '../../ports/http-client.js';
import type { ChatModel, ModelCall, ModelConnection, ModelFailure, ModelMessage, ModelOutcome, ModelRequest } from '../../ports/model.js';
import { withoutSecret } from './without-secret.js';

const DEADLINE_MS = 30_000;
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
/** How often it is asked again when it is too busy or broken, and how long it may ask us to wait. */
const RETRIES = 2;
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 20_000;

/** The packages are optional: only who uses such a connection needs them. */
const loadPackages = async (): Promise<typeof import('ai') & typeof import('@ai-sdk/openai-compatible')> => {
  const [ai, provider] = await Promise.all([import('ai'), import('@ai-sdk/openai-compatible')]);
  return { ...ai, ...provider };
};

/**
 * Any endpoint that speaks the protocol of chat completions. What goes out goes through the platform's own HTTP client, with
 * its deadline, its limit of size and its guard of addresses; it follows no redirects, so the token stays with its host.
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
      const reason = 'this needs two packages that are not installed: npm install ai@6 @ai-sdk/openai-compatible@2';
      return { kind: 'failed', code: 'model_not_available', reason };
    }
    const { clock } = this.#ports;
    for (let attempt = 0; ; attempt++) {
      const { outcome, answer } = await this.#ask(packages, request);
      const waitMs = attempt < RETRIES ? waitBefore(answer, attempt, clock.now()) : undefined;
      if (waitMs === undefined) return withoutSecret(outcome, this.#connection.token);
      await clock.sleep(waitMs);
    }
  }

  async #ask(packages: Awaited<ReturnType<typeof loadPackages>>, request: ModelRequest) {
    const { baseUrl = '', token } = this.#connection;
    let answer: HttpOutcome | undefined;
    const provider = packages.createOpenAICompatible({
      name: 'endpoint',
      baseURL: baseUrl,
      ...(token !== undefined && { apiKey: token }),
      fetch: async (url, { method = 'POST', headers, body } = {}) => {
        answer = await this.#ports.http.send({
          method,
          url: String(url),
          headers: Object.fromEntries(new Headers(headers)),
          body: String(body),
          deadlineMs: DEADLINE_MS,
          maxResponseBytes: MAX_RESPONSE_BYTES,
        });
        if (answer.kind !== 'response') throw new Error(answer.kind);
        return new Response(tolerated(answer.body), { status: answer.status, headers: { 'content-type': 'application/json' } });
      },
    });
    const { model, messages, tools, temperature, maxTokens } = request;
    const { generateText, tool, jsonSchema } = packages;
    try {
      const result = await generateText({
        model: provider.chatModel(model),
        messages: messages.map(asSent),
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
      return { outcome: { kind: 'reply', text: result.text, calls, tokens } as const, answer };
    } catch (error) {
      return { outcome: failureOf(answer, error), answer };
    }
  }
}

type Sent = Parameters<Awaited<ReturnType<typeof loadPackages>>['generateText']>[0] extends { messages?: (infer M)[] } ? M : never;

function asSent(message: ModelMessage): Sent {
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

/** Endpoints differ in small things; these mean the same: arguments as an object, none at all, calls without an id. */
function tolerated(body: Uint8Array): string {
  const text = new TextDecoder().decode(body);
  const answer = jsonOrText(text) as { choices?: { message?: { tool_calls?: { id?: unknown; function?: { arguments?: unknown } }[] } }[] };
  if (typeof answer !== 'object' || answer === null || !Array.isArray(answer.choices)) return text;
  for (const { message } of answer.choices) {
    for (const [i, call] of (Array.isArray(message?.tool_calls) ? message.tool_calls : []).entries()) {
      if (typeof call.id !== 'string' || call.id === '') call.id = `call-${i}`;
      const given = call.function?.arguments;
      if (call.function && typeof given !== 'string') call.function.arguments = JSON.stringify(given ?? {});
      if (call.function && typeof given === 'string' && given.trim() === '') call.function.arguments = '{}';
    }
  }
  return JSON.stringify(answer);
}

function failureOf(answer: HttpOutcome | undefined, error: unknown): Extract<ModelOutcome, { kind: 'failed' }> {
  const failed = (code: ModelFailure, reason: string) => ({ kind: 'failed', code, reason }) as const;
  const said = messageOf(error);
  if (answer === undefined) return failed('model_refused', `the request cannot be made: ${said.slice(0, 200)}`);
  if (answer.kind === 'timeout') return failed('model_timeout', `there was no answer within ${DEADLINE_MS / 1000} s`);
  if (answer.kind === 'unreachable') return failed('model_unavailable', answer.reason);
  if (answer.cut) return failed('model_bad_answer', `the answer is larger than ${MAX_RESPONSE_BYTES} bytes or did not end`);
  const reason = `the endpoint answered ${answer.status}: ${said.slice(0, 200)}`;
  if (answer.status === 429) return failed('model_rate_limited', reason);
  if (answer.status >= 500) return failed('model_unavailable', reason);
  if (answer.status >= 300) return failed('model_refused', reason);
  return failed('model_bad_answer', `the endpoint answered what is no chat completion: ${said.slice(0, 200)}`);
}

/** How long to wait before it is asked again; undefined when that would not help. */
function waitBefore(answer: HttpOutcome | undefined, attempt: number, now: Date): number | undefined {
  if (answer?.kind !== 'response' || (answer.status !== 429 && answer.status < 500)) return undefined;
  const asked = answer.headers['retry-after'];
  if (asked === undefined) return FIRST_WAIT_MS * 2 ** attempt;
  const ms = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - now.getTime();
  return Number.isFinite(ms) && ms <= MAX_WAIT_MS ? Math.max(0, ms) : undefined;
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
