import { type Json, type JsonObject, readAnswer } from '#core/basics';
import { asText, type Block } from '../compile.js';
import { addressOf, bodyOf, type TemplatePart } from '../contact-text.js';
import type { EffectResult, SecretTemplate } from '../effect.js';
import { JOURNEY_LIMITS } from '../limits.js';
import type { Outcome, Report, Run } from './block-type.js';
import { pairsAt } from './config.js';
import { failedEffect } from './failed-effect.js';

export const HTTP_TIMEOUT_MS = { default: 5000, max: 20_000 } as const;
export const METHODS: readonly Json[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

const SECRET = /(?<!@)@secrets\.([A-Za-z_]\w*)/;

/**
 * Renders a template but keeps each `@secrets.NAME` as a name. The sender of the request inserts the value, so that no step, session
 * or event contains it. Only the author's template is searched for secrets, never rendered values.
 */
export function secretTemplate(run: Run, template: Json | undefined, local?: JsonObject): SecretTemplate {
  if (typeof template !== 'string') return template === undefined || template === null ? '' : JSON.stringify(template);
  const parts = template.split(SECRET).map((part, i) => (i % 2 === 1 ? { secret: part } : run.text(part, JOURNEY_LIMITS.payload, local)));
  return parts.length === 1 ? (parts[0] as string) : parts.filter((part) => part !== '');
}

/** Renders a template with the text of contacts marked; secrets are texts between two characters that no printed value has. */
function partsOf(run: Run, template: string, local: JsonObject | undefined): readonly TemplatePart[] {
  return template.split(SECRET).flatMap((part, i): readonly TemplatePart[] => {
    if (i % 2 === 1) return [{ text: `${BESIDE_SECRET}${part}${BESIDE_SECRET}`, isPrinted: false }];
    return run.parts(part, local).map(({ text, isPrinted }) => ({ text: text.replaceAll(BESIDE_SECRET, '\ufffd'), isPrinted }));
  });
}

const BESIDE_SECRET = '\uffff';

function withSecrets(run: Run, text: string): SecretTemplate {
  const parts = text.split(BESIDE_SECRET);
  if (parts.length === 1) return run.cut(text, JOURNEY_LIMITS.payload);
  return parts.map((part, i) => (i % 2 === 1 ? { secret: part } : run.cut(part, JOURNEY_LIMITS.payload))).filter((part) => part !== '');
}

/** The address of a request. Text of a contact is encoded by its position; a request whose host it would choose has no address. */
export function addressTemplate(run: Run, template: Json | undefined, local?: JsonObject): SecretTemplate {
  if (typeof template !== 'string' || !template.includes('@')) return secretTemplate(run, template);
  const address = addressOf(
    partsOf(run, template, local)
      .map(({ text }) => text)
      .join(''),
  );
  if (address === undefined) run.emit({ type: 'warning', expression: template.slice(0, 200), reason: CHOSEN_HOST });
  return withSecrets(run, address ?? '');
}

const CHOSEN_HOST =
  'text of a contact would choose where this request goes, so it is not sent; write scheme and host yourself, or use whole_address()';

/** The body of a request; null for none. Text of a contact cannot end the string or the pair that it is in. */
export function bodyTemplate(run: Run, template: Json | undefined, local?: JsonObject, headers = run.config): SecretTemplate | null {
  if (template === null || template === undefined) return null;
  if (typeof template !== 'string' || !template.includes('@')) return secretTemplate(run, template);
  const type = pairsAt(headers, 'headers').find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return withSecrets(run, bodyOf(partsOf(run, template, local), /x-www-form-urlencoded/i.test(asText(type ?? ''))));
}

/** The time-out in milliseconds: the given one up to the maximum, else the default. */
export const timeoutOf = (given: Json | undefined): number =>
  typeof given === 'number' && given > 0 ? Math.min(given, HTTP_TIMEOUT_MS.max) : HTTP_TIMEOUT_MS.default;

export const methodOf = (given: Json | undefined): string => (typeof given === 'string' ? given.toUpperCase() : 'GET');

export interface HttpReply {
  /** 0 without a response, 408 after a time-out, 202 for a request that is sent after the turn. */
  readonly status: number;
  readonly body: string | null;
  readonly json: Json;
  /** Whether the body is JSON. JSON can also be null. */
  readonly isJson: boolean;
  readonly headers: JsonObject;
  readonly error: string | null;
}

const OVERFLOW = 'a number in the response is too large and became nil: numbers end at 1.8e308';

/** Emits the HTTP call as an event, then returns the outcome that the block computes from the response. */
export function withReply(run: Run, result: EffectResult, answer: (reply: HttpReply) => Outcome): Outcome {
  if (result.kind === 'deferred') {
    run.emit({ type: 'http_call', call: result.call });
    return answer({ status: 202, body: null, json: null, isJson: false, headers: {}, error: null });
  }
  if (result.kind !== 'http') return failedEffect(result);
  run.emit({ type: 'http_call', call: result.call });
  const { answer: response, error } = result;
  if (response) {
    const parsed = readAnswer(response.body);
    if (parsed.overflows) run.emit({ type: 'warning', expression: result.call.url.slice(0, 200), reason: OVERFLOW });
    return answer({ ...response, json: parsed.json, isJson: parsed.isJson, error: error ?? parsed.error });
  }
  const code = error ?? 'unreachable';
  return answer({ status: code === 'timeout' ? 408 : 0, body: null, json: null, isJson: false, headers: {}, error: code });
}

/** Reports problems of a request. `queryKey` is the name of the query setting in this block type. */
export function checkRequest({ config }: Block, report: Report, queryKey = 'query'): void {
  const { url, method } = config;
  if (typeof url !== 'string' || url === '') report.error('config.url', 'the URL is missing');
  else if (!/^(https?:\/\/|@)/i.test(url)) report.error('config.url', 'the URL must begin with https:// or http://');
  if (method !== undefined && !METHODS.includes(methodOf(method)))
    report.error('config.method', `unknown HTTP method ${String(method).slice(0, 20)}`);
  checkWritten(config, 'config', report, queryKey);
}

export function checkWritten(request: JsonObject, path: string, report: Report, queryKey = 'query'): void {
  const template = (inside: string, value: Json | undefined): void => {
    if (typeof value === 'string') report.template(`${path}.${inside}`, value.replace(new RegExp(SECRET, 'g'), ''));
  };
  template('url', request.url);
  for (const key of [queryKey, 'headers']) for (const [name, value] of pairsAt(request, key)) template(`${key}.${name}`, value);
  template('body', request.body);
}
