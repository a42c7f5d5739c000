import { createHash } from 'node:crypto';
import type { ChatModel, ModelOutcome, ModelReply, ModelRequest } from '../../ports/model.js';

/** What a model once answered to a request. */
export interface Recording {
  readonly key: string;
  /** The request as it is compared, for the report of what came nearest. */
  readonly request: string;
  readonly reply: ModelReply;
}

/** Answers only what was recorded. */
export class ReplayModel implements ChatModel {
  readonly #recordings: readonly Recording[];

  constructor({ recordings = [] }: { readonly recordings?: readonly Recording[] }) {
    this.#recordings = recordings;
  }

  async generate(request: ModelRequest): Promise<ModelOutcome> {
    const asked = normalised(request);
    const key = keyOf(asked);
    const found = this.#recordings.find((recording) => recording.key === key);
    if (found) return { kind: 'reply', ...found.reply };
    return { kind: 'failed', code: 'model_no_match', reason: nearest(asked, this.#recordings) };
  }
}

/** A recording that answers this request, and every one that differs from it only in dates, times and ids. */
export function record(request: ModelRequest, { text, calls, tokens }: ModelReply): Recording {
  const asked = normalised(request);
  return { key: keyOf(asked), request: asked, reply: { text, calls, tokens } };
}

const keyOf = (asked: string): string => createHash('sha256').update(asked).digest('hex');

/** What changes from run to run without meaning anything. */
const scrubbers: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '‹uuid›'],
  [/\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?/g, '‹date›'],
  [/\b\d\d:\d\d(:\d\d(\.\d+)?)?\b/g, '‹time›'],
];

/** The request with its keys in order and one value on each line; ids of calls are replaced by their position. */
function normalised({ model, messages, tools }: ModelRequest): string {
  const ids = new Map<string, string>();
  const named = (id: string): string => ids.get(id) ?? ids.set(id, `call ${ids.size + 1}`).get(id)!;
  const said = messages.map((message) => {
    if (message.role === 'tool') return { ...message, call: named(message.call) };
    if (message.role !== 'assistant') return message;
    const calls = message.calls?.map((call) => ({ ...call, id: named(call.id) })) ?? [];
    return { ...message, calls };
  });
  const text = JSON.stringify(ordered({ model, messages: said, tools }), null, 1);
  return scrubbers.reduce((scrubbed, [pattern, name]) => scrubbed.replace(pattern, name), text);
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inside]) => inside !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inside]) => [key, ordered(inside)]));
}

/** The recording that has most in common with the request, and where the two part. */
function nearest(asked: string, recordings: readonly Recording[]): string {
  const lines = asked.split('\n');
  const common = recordings
    .map(({ key, request }) => {
      const other = request.split('\n');
      const at = lines.findIndex((line, i) => line !== other[i]);
      return { key, at: at < 0 ? lines.length : at, expected: other[at], found: lines[at] };
    })
    .sort((a, b) => b.at - a.at);
  const [closest] = common;
  if (!closest) return 'nothing was recorded';
  const { key, at, expected = 'nothing', found = 'nothing' } = closest;
  return `nothing was recorded for this; ${key.slice(0, 8)} comes nearest and differs in line ${at + 1}: ${expected.trim().slice(0, 120)} was recorded, ${found.trim().slice(0, 120)} was asked`;
}
