import type { Json, JsonObject } from '../../json.js';
import { readAnswer } from '../../json.js';
import type { Block } from '../compile.js';
import type { EffectResult, Written } from '../effect.js';
import { JOURNEY_LIMITS } from '../limits.js';
import type { Outcome, Report, Run } from './block-type.js';
import { pairsAt } from './config.js';
import { unperformed } from './unperformed.js';

export const HTTP_TIMEOUT_MS = { usual: 5000, most: 20_000 } as const;
export const METHODS: readonly Json[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

const SECRET = /(?<!@)@secrets\.([A-Za-z_]\w*)/;

/**
 * A template in which `@secrets.NAME` stays a name: the value is put in where the request is sent, and no step, session or
 * event ever has it. Only what the author wrote is looked at, never what a contact says.
 */
export function written(run: Run, template: Json | undefined, local?: JsonObject): Written {
  if (typeof template !== 'string') return template === undefined || template === null ? '' : JSON.stringify(template);
  const parts = template.split(SECRET).map((part, i) => (i % 2 === 1 ? { secret: part } : run.text(part, JOURNEY_LIMITS.payload, local)));
  return parts.length === 1 ? (parts[0] as string) : parts.filter((part) => part !== '');
}

/** As long as the config says, in milliseconds. */
export const timeoutOf = (given: Json | undefined): number =>
  typeof given === 'number' && given > 0 ? Math.min(given, HTTP_TIMEOUT_MS.most) : HTTP_TIMEOUT_MS.usual;

export const methodOf = (given: Json | undefined): string => (typeof given === 'string' ? given.toUpperCase() : 'GET');

/** What came back, in the words of a block. */
export interface HttpReply {
  /** 0 when nothing came back, 408 when nothing came back in time, 202 when nobody waits. */
  readonly status: number;
  readonly body: string | null;
  readonly json: Json;
  readonly headers: JsonObject;
  readonly error: string | null;
}

/** Tells of the request, then goes on with what the block makes of the reply. */
export function replied(run: Run, result: EffectResult, answer: (reply: HttpReply) => Outcome): Outcome {
  if (result.kind === 'deferred') {
    run.emit({ type: 'http_call', call: result.call });
    return answer({ status: 202, body: null, json: null, headers: {}, error: null });
  }
  if (result.kind !== 'http') return unperformed(result);
  run.emit({ type: 'http_call', call: result.call });
  const { answer: came, error } = result;
  if (came) {
    const read = readAnswer(came.body);
    return answer({ ...came, json: read.json, error: error ?? read.error });
  }
  const code = error ?? 'unreachable';
  return answer({ status: code === 'timeout' ? 408 : 0, body: null, json: null, headers: {}, error: code });
}

/** What is wrong with a request, its query under the key it has in this kind of block. */
export function checkRequest({ config }: Block, report: Report, queryKey = 'query'): void {
  const { url, method } = config;
  if (typeof url !== 'string' || url === '') report.error('config.url', 'there is no URL');
  else if (!/^(https?:\/\/|@)/i.test(url)) report.error('config.url', 'a URL begins with https:// or http://');
  if (method !== undefined && !METHODS.includes(methodOf(method)))
    report.error('config.method', `there is no method ${String(method).slice(0, 20)}`);
  checkWritten(config, 'config', report, queryKey);
}

/** What is wrong with the templates that a request is written with. */
export function checkWritten(request: JsonObject, path: string, report: Report, queryKey = 'query'): void {
  const template = (inside: string, value: Json | undefined): void => {
    if (typeof value === 'string') report.template(`${path}.${inside}`, value.replace(new RegExp(SECRET, 'g'), ''));
  };
  template('url', request.url);
  for (const key of [queryKey, 'headers']) for (const [name, value] of pairsAt(request, key)) template(`${key}.${name}`, value);
  template('body', request.body);
}
