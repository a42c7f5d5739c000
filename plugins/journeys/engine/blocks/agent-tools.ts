import { Validator } from '@cfworker/json-schema';
import { type Json, type JsonObject, readExactJson, readJsonText, TOO_DEEP } from '#core/basics';
import type { ModelTool } from '#core/ports';
import { isObject, listAt, objectAt, textAt } from '../compile.js';
import type { Effect } from '../effect.js';
import type { Report, Run } from './block-type.js';
import { isGiven, pairsAt, renderedText } from './config.js';
import { addressTemplate, bodyTemplate, checkWritten, METHODS, methodOf, secretTemplate, timeoutOf } from './http-effect.js';

/** A tool of an agent: a skill that it can use, or an action that routes the journey to an exit. */
export type AgentTool =
  | { readonly kind: 'action'; readonly name: string; readonly action: string; readonly description: string }
  | {
      readonly kind: 'knowledge' | 'http' | 'code';
      readonly name: string;
      readonly description: string;
      readonly parameters: JsonObject;
      readonly config: JsonObject;
    };

const ROUTE = 'route_';
/** The tool names that model APIs accept. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} };

export function toolsOf(config: JsonObject): readonly AgentTool[] {
  const skills = listAt(config, 'skills').flatMap((skill): AgentTool | readonly AgentTool[] => {
    const { kind } = isObject(skill) ? skill : { kind: null };
    if (!isObject(skill) || (kind !== 'knowledge' && kind !== 'http' && kind !== 'code')) return [];
    const parameters = isObject(skill.parameters) ? skill.parameters : NO_PARAMETERS;
    return { kind, name: textAt(skill, 'name'), description: textAt(skill, 'description'), parameters, config: skill };
  });
  const actions = listAt(config, 'actions').flatMap((action): AgentTool | readonly AgentTool[] => {
    const name = isObject(action) ? textAt(action, 'name') : '';
    return isObject(action) && name !== ''
      ? { kind: 'action', name: `${ROUTE}${name}`, action: name, description: textAt(action, 'description') }
      : [];
  });
  return [...skills, ...actions];
}

export const declarationOf = (tool: AgentTool): ModelTool => ({
  name: tool.name,
  description: tool.description,
  parameters: tool.kind === 'action' ? NO_PARAMETERS : tool.parameters,
});

/** Parses and validates the arguments of a tool call. The fault is returned to the model, which can then correct them. */
export function readArguments(text: string, parameters: JsonObject): { readonly value: JsonObject } | { readonly fault: string } {
  const { value, fault } = readJsonText(text);
  if (fault) return { fault: fault === 'too_deep' ? `the arguments are ${TOO_DEEP}` : 'the arguments are not valid JSON' };
  if (!isObject(value)) return { fault: 'the arguments must be a JSON object' };
  const { valid, errors } = validatorFor(parameters).validate(value);
  // Validated with rounded integers, because a schema knows no others.
  if (valid) return { value: readExactJson(text).value as JsonObject };
  const last = errors.at(-1);
  return {
    fault: `the arguments do not match the parameters: ${last?.instanceLocation.replace(/^#/, '') || '/'}: ${last?.error}`.slice(0, 300),
  };
}

const validators = new WeakMap<JsonObject, Validator>();

function validatorFor(parameters: JsonObject): Validator {
  const validator = validators.get(parameters) ?? new Validator(withoutPatterns(parameters) as never, '2020-12', false);
  validators.set(parameters, validator);
  return validator;
}

/**
 * Removes patterns and formats. The model sees them, but matching an author's pattern against a contact's text could take exponential time.
 */
function withoutPatterns(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([key, inside]) => !isPattern(key, inside));
  return Object.fromEntries(kept.map(([key, inside]) => [key, withoutPatterns(inside)]));
}

/** A property of the arguments can also be called `pattern` or `format`; its value is then an object and is not removed. */
const isPattern = (key: string, inside: Json): boolean =>
  key === 'patternProperties' || ((key === 'pattern' || key === 'format') && typeof inside === 'string');

/** Runs a skill: returns its text, or the effect that produces its output. */
export function runSkill(run: Run, tool: Exclude<AgentTool, { kind: 'action' }>, given: JsonObject): { text: string } | { effect: Effect } {
  const { config } = tool;
  if (tool.kind === 'knowledge') return { text: renderedText(run.resource(config.content)) };
  if (tool.kind === 'code') return { effect: { kind: 'skill', skill: textAt(config, 'skill'), arguments: given } };
  const http = objectAt(config, 'http');
  const local = { arguments: given };
  return {
    effect: {
      kind: 'http',
      method: methodOf(http.method),
      url: addressTemplate(run, http.url, local),
      query: pairsAt(http, 'query').map(([name, value]) => [name, secretTemplate(run, value, local)] as const),
      headers: pairsAt(http, 'headers').map(([name, value]) => [name, secretTemplate(run, value, local)] as const),
      body: bodyTemplate(run, http.body, local, http),
      timeoutMs: timeoutOf(http.timeout_ms),
      cacheMs: 0,
      retry: { max: 0, on: [] },
      deferred: false,
    },
  };
}

export function checkTools(config: JsonObject, report: Report): void {
  const names = new Set<string>();
  const checkName = (path: string, name: string): void => {
    if (!NAME.test(name))
      report.error(
        path,
        `'${name.slice(0, 40)}' is not a valid tool name: use at most 64 letters, digits, _ and -, and begin with a letter or _`,
      );
    if (names.has(name)) report.error(path, `the tool name '${name.slice(0, 40)}' is used twice`);
    names.add(name);
  };
  for (const [i, skill] of listAt(config, 'skills').entries()) {
    const path = `config.skills[${i}]`;
    if (!isObject(skill)) {
      report.error(path, 'a skill must be an object');
      continue;
    }
    checkName(`${path}.name`, textAt(skill, 'name'));
    if (textAt(skill, 'description') === '')
      report.warning(`${path}.description`, 'this skill has no description, so the model does not know when to use it');
    if (isGiven(skill.parameters) && !isObject(skill.parameters))
      report.error(`${path}.parameters`, 'parameters must be a JSON Schema of type object');
    if (skill.kind === 'knowledge') report.resource(`${path}.content`, skill.content);
    else if (skill.kind === 'http') checkHttp(objectAt(skill, 'http'), `${path}.http`, report);
    else if (skill.kind !== 'code') report.error(`${path}.kind`, "the kind of a skill must be 'knowledge', 'http' or 'code'");
  }
  for (const [i, action] of listAt(config, 'actions').entries()) {
    checkName(`config.actions[${i}].name`, `${ROUTE}${isObject(action) ? textAt(action, 'name') : ''}`);
  }
}

function checkHttp(http: JsonObject, path: string, report: Report): void {
  if (!/^(https?:\/\/|@)/i.test(textAt(http, 'url'))) report.error(`${path}.url`, 'the URL must begin with https:// or http://');
  if (http.method !== undefined && !METHODS.includes(methodOf(http.method))) report.error(`${path}.method`, 'unknown HTTP method');
  checkWritten(http, path, report);
}
