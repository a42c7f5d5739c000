import type { Json, JsonObject } from '../../json.js';
import { readJson } from '../../json.js';
import type { Input } from '../../turns/input.js';
import { isObject, listAt, objectAt } from '../compile.js';
import { HIDDEN_NAMES, RESERVED_NAMES } from '../limits.js';
import type { Rendered } from '../resources.js';
import type { Report, Run } from './block-type.js';

/** The references among these values of a config. */
export const uuidsIn = (...values: readonly (Json | undefined)[]): readonly string[] =>
  values.filter((value): value is string => typeof value === 'string' && value !== '');

/** The first text of a resource. */
export const textOf = (parts: readonly Rendered[]): string => parts.find(({ kind }) => kind === 'text')?.text ?? '';

/** Whether a setting has a value: editors write null for settings that are not set. */
export const isGiven = (value: Json | undefined): boolean => value !== undefined && value !== null;

export const numberOf = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined);

/** A text that is either a resource of the flow or written in the config itself. */
export function writtenOrResource(run: Run, source: Json | undefined): string {
  if (typeof source !== 'string') return '';
  return run.flow.resources.has(source) ? textOf(run.resource(source)) : run.text(source);
}

/** Pairs, whether they are written as a list of pairs or as an object. */
export function pairsAt(config: JsonObject, key: string): readonly (readonly [string, Json])[] {
  if (isObject(config[key])) return Object.entries(objectAt(config, key));
  return listAt(config, key).flatMap((pair) => {
    const [name, value] = Array.isArray(pair) ? (pair as readonly Json[]) : [];
    return typeof name === 'string' && name !== '' ? [[name, value ?? ''] as const] : [];
  });
}

/** A variable with a name of the context: the value of the variable is not found under it, or what the context has is not. */
export function checkReserved(name: string, path: string, report: Report): void {
  if (RESERVED_NAMES.has(name)) report.error(path, `'${name}' is a name of the context; no variable can have it`, 'reserved_name');
  else if (HIDDEN_NAMES.has(name))
    report.warning(path, `the variable '${name}' hides what the context has under this name`, 'reserved_name');
}

/** Prompt, header and footer, which many blocks have. */
export function checkFrame({ config }: { readonly config: JsonObject }, report: Report): void {
  for (const key of ['header', 'footer']) if (config[key]) report.resource(`config.${key}`, config[key]);
}

/** The object that an answer carries: of a form, a location, a medium; or the JSON text that stands for it. */
export function objectOf({ text, type, message }: Input, ...kinds: readonly string[]): JsonObject | undefined {
  for (const kind of kinds) if (type === kind && isObject(message?.[kind])) return objectAt(message, kind);
  if (!text.trimStart().startsWith('{')) return undefined;
  // Text that begins like an object and is none is an answer like any other.
  const value = readJson(text);
  return isObject(value) ? value : undefined;
}
