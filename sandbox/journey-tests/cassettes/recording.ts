import Joi from 'joi';
import { recordReply } from '#core';
import { ownCommand } from '../../../core/own-command.js';
import {
  type EffectResult,
  type HttpAnswer,
  type HttpEffect,
  type ModelEffect,
  redacted,
  requestText,
} from '../../../plugins/journeys/plugin.js';
import { MARK, type Mask } from './mask.js';

type ModelReply = Pick<Extract<EffectResult, { kind: 'model' }>, 'connection' | 'text' | 'calls' | 'tokens'>;

/** A request as text, and what answered it: `answer` to an HTTP request, `reply` of a model. */
export interface Recording {
  /** The first line names the request: its method and URL, or the connection of a model. The body follows, one value per line. */
  readonly request: string;
  readonly answer?: HttpAnswer;
  readonly reply?: ModelReply;
}

const VERSION = 1;
const SHOWN = 160;

/** The request as recordings have it, without secrets. Dates, times and ids in a prompt are replaced, because they change from run to run. */
export function requestOf(effect: HttpEffect | ModelEffect, mask: Mask['text']): string {
  if (effect.kind === 'model') {
    const { connection, model, messages, tools } = effect;
    const { request } = recordReply({ model, messages, tools }, NO_REPLY);
    return mask(`model ${connection}\n${request}`);
  }
  const { method, url, body } = requestText(effect, redacted);
  return mask(`${method} ${url}${body === null || body === '' ? '' : `\n${shownBody(body)}`}`);
}

const NO_REPLY = { text: '', calls: [], tokens: { input: 0, output: 0 } };

/** JSON with one value per line; any other text unchanged. */
function shownBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 1);
  } catch {
    return body;
  }
}

/** Whether a recorded request is this one. A masked value matches any text, because a later request may have shown that it is a secret. */
export function isSame(recorded: string, request: string): boolean {
  if (recorded === request) return true;
  const [start = '', ...rest] = recorded.split(MARK);
  const end = rest.pop();
  if (end === undefined || !request.startsWith(start)) return false;
  let at = start.length;
  for (const part of rest) {
    const found = request.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return request.length - at >= end.length && request.endsWith(end);
}

/** The recording without credentials. */
export function maskedRecording({ request, answer, reply }: Recording, mask: Mask): Recording {
  return {
    request: mask.text(request),
    ...(answer && {
      answer: { status: answer.status, headers: mask.headers(answer.headers), body: answer.body === null ? null : mask.text(answer.body) },
    }),
    ...(reply && {
      reply: {
        ...reply,
        text: mask.text(reply.text),
        calls: reply.calls.map((call) => ({ ...call, arguments: mask.text(call.arguments) })),
      },
    }),
  };
}

const recordingSchema = Joi.object({
  v: Joi.valid(VERSION).required(),
  request: Joi.string().required(),
  answer: Joi.object({
    status: Joi.number().integer().min(100).max(599).required(),
    headers: Joi.object().pattern(Joi.string(), Joi.string().allow('')).default({}),
    // `json` for a body that is easier to read and to edit that way.
    body: Joi.string().allow('', null),
    json: Joi.any(),
  }),
  reply: Joi.object({
    connection: Joi.object({ uuid: Joi.string(), name: Joi.string(), vendor: Joi.string(), model: Joi.string().allow('') })
      .options({ presence: 'required' })
      .required(),
    text: Joi.string().allow('').required(),
    calls: Joi.array()
      .items(Joi.object({ id: Joi.string(), name: Joi.string(), arguments: Joi.string().allow('') }).options({ presence: 'required' }))
      .default([]),
    tokens: Joi.object({ input: Joi.number(), output: Joi.number() }).default({ input: 0, output: 0 }),
  }),
})
  .xor('answer', 'reply')
  .label('the line');

/** Reads a line of a cassette. @throws Error with the problem */
export function readLine(line: string): Recording {
  const { value, error } = recordingSchema.validate(JSON.parse(line), { convert: false });
  if (error) throw error;
  const { request, answer, reply } = value;
  if (!answer) return { request, reply };
  const { json, body = json === undefined ? null : JSON.stringify(json), ...rest } = answer;
  return { request, answer: { ...rest, body } };
}

/** Writes a recording as a line of a cassette. */
export function lineOf({ request, answer, reply }: Recording): string {
  if (!answer) return JSON.stringify({ v: VERSION, request, reply });
  const { body, ...rest } = answer;
  return JSON.stringify({ v: VERSION, request, answer: { ...rest, ...(isPlainJson(body) ? { json: JSON.parse(body) } : { body }) } });
}

/** Whether parsing and serializing the body gives the same body. */
function isPlainJson(body: string | null): body is string {
  try {
    return body !== null && /^\s*[[{]/.test(body) && JSON.stringify(JSON.parse(body)) === body;
  } catch {
    return false;
  }
}

/** Says that a request has no recording, and where the nearest one differs. */
export function explainMiss(request: string, recordings: readonly Recording[], file: string): string {
  const wanted = partsOf(request);
  const message = `no recording of ${cut(wanted.name)} in ${file}`;
  const nearest = recordings
    .map((one) => ({ one, parts: partsOf(one.request) }))
    .filter(({ one }) => one.request.startsWith('model ') === request.startsWith('model '))
    .map(({ parts }) => ({ parts, common: commonLength(orderOf(wanted), orderOf(parts)) }))
    .sort((a, b) => b.common - a.common)[0];
  const found = nearest ? `the nearest, ${cut(nearest.parts.name)}, ${difference(nearest.parts, wanted)}` : 'nothing like it is recorded';
  return `${message}; ${found}. Record it with: ${ownCommand()} test --record=new`;
}

interface Parts {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly body: readonly string[];
}

function partsOf(request: string): Parts {
  const [name = '', ...body] = request.split('\n');
  const space = name.indexOf(' ');
  return { name, method: name.slice(0, space), target: name.slice(space + 1), body };
}

/** The URL says more about a request than its method. */
const orderOf = ({ method, target, body }: Parts): string => [target, method, ...body].join('\n');

function difference(recorded: Parts, wanted: Parts): string {
  if (recorded.target !== wanted.target) {
    const at = commonLength(recorded.target, wanted.target);
    return `differs at "${cut(wanted.target.slice(at), 40)}", where "${cut(recorded.target.slice(at), 40)}" was recorded`;
  }
  if (recorded.method !== wanted.method) return `has another method`;
  const at = wanted.body.findIndex((line, i) => line !== recorded.body[i]);
  const line = at < 0 ? wanted.body.length : at;
  return `differs on line ${line + 1} of its body: ${shown(recorded.body[line])} was recorded, ${shown(wanted.body[line])} was requested`;
}

const shown = (line: string | undefined): string => (line === undefined ? 'nothing' : cut(line.trim().replace(/,$/, '')));
const cut = (text: string, length = SHOWN): string => (text.length > length ? `${text.slice(0, length)}…` : text);

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
