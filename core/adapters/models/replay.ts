import { createHash } from 'node:crypto';
import type { ChatModel, ModelOutcome, ModelReply, ModelRequest } from '../../ports/model.js';

/** A recorded reply of a model to a request. */
export interface Recording {
  readonly key: string;
  /** The normalized request, for reporting the nearest match. */
  readonly request: string;
  readonly reply: ModelReply;
}

/** Replies only to recorded requests. */
export class ReplayModel implements ChatModel {
  readonly #recordings: readonly Recording[];

  constructor({ recordings = [] }: { readonly recordings?: readonly Recording[] }) {
    this.#recordings = recordings;
  }

  async generate(request: ModelRequest): Promise<ModelOutcome> {
    const normalized = normalize(request);
    const key = keyOf(normalized);
    const found = this.#recordings.find((recording) => recording.key === key);
    if (found) return { kind: 'reply', ...found.reply };
    return { kind: 'failed', code: 'model_no_match', reason: nearest(normalized, this.#recordings) };
  }
}

/** Creates a recording that matches this request and every request that differs only in dates, times and ids. */
export function record(request: ModelRequest, { text, calls, tokens }: ModelReply): Recording {
  const normalized = normalize(request);
  return { key: keyOf(normalized), request: normalized, reply: { text, calls, tokens } };
}

const keyOf = (normalized: string): string => createHash('sha256').update(normalized).digest('hex');

/** Values that change from run to run: ids, dates, times. */
const scrubbers: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '‹uuid›'],
  [/\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?/g, '‹date›'],
  [/\b\d\d:\d\d(:\d\d(\.\d+)?)?\b/g, '‹time›'],
];

/** Normalizes a request: sorted keys, one value per line, and call ids replaced by their position. */
function normalize({ model, messages, tools }: ModelRequest): string {
  const ids = new Map<string, string>();
  const positionOf = (id: string): string => ids.get(id) ?? ids.set(id, `call ${ids.size + 1}`).get(id)!;
  const comparable = messages.map((message) => {
    if (message.role === 'tool') return { ...message, call: positionOf(message.call) };
    if (message.role !== 'assistant') return message;
    const calls = message.calls?.map((call) => ({ ...call, id: positionOf(call.id) })) ?? [];
    return { ...message, calls };
  });
  const text = JSON.stringify(ordered({ model, messages: comparable, tools }), null, 1);
  return scrubbers.reduce((scrubbed, [pattern, name]) => scrubbed.replace(pattern, name), text);
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inside]) => inside !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inside]) => [key, ordered(inside)]));
}

/** Describes the recording that matches the longest beginning of the request, and the first difference. */
function nearest(normalized: string, recordings: readonly Recording[]): string {
  const lines = normalized.split('\n');
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
  return `no recording matches this request; the nearest, ${key.slice(0, 8)}, differs on line ${at + 1}: ${expected.trim().slice(0, 120)} was recorded, ${found.trim().slice(0, 120)} was requested`;
}
