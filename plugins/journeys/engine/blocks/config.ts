import { type Input, type Json, type JsonObject, readJson } from '#core/basics';
import { isObject, listAt, objectAt } from '../compile.js';
import { HIDDEN_NAMES, RESERVED_NAMES } from '../limits.js';
import type { Rendered } from '../resources.js';
import type { Report, Run } from './block-type.js';

/** Keeps only non-empty texts: the uuids among the given settings of a config. */
export const uuidsIn = (...values: readonly (Json | undefined)[]): readonly string[] =>
  values.filter((value): value is string => typeof value === 'string' && value !== '');

export const renderedText = (parts: readonly Rendered[]): string => parts.find(({ kind }) => kind === 'text')?.text ?? '';

/** Whether a setting has a value. Editors write null for settings without one. */
export const isGiven = (value: Json | undefined): boolean => value !== undefined && value !== null;

export const numberOf = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined);

/** The text of a setting that is either the uuid of a resource or a template. */
export function textOrResource(run: Run, source: Json | undefined): string {
  if (typeof source !== 'string') return '';
  return run.flow.resources.has(source) ? renderedText(run.resource(source)) : run.text(source);
}

/** The name-value pairs of a setting, which may be a list of pairs or an object. */
export function pairsAt(config: JsonObject, key: string): readonly (readonly [string, Json])[] {
  if (isObject(config[key])) return Object.entries(objectAt(config, key));
  return listAt(config, key).flatMap((pair) => {
    const [name, value] = Array.isArray(pair) ? (pair as readonly Json[]) : [];
    return typeof name === 'string' && name !== '' ? [[name, value ?? ''] as const] : [];
  });
}

/** Reports a variable with the name of a context value: expressions could read only one of the two. */
export function checkReserved(name: string, path: string, report: Report): void {
  if (RESERVED_NAMES.has(name))
    report.error(path, `'${name}' is reserved for the context; a variable cannot have this name`, 'reserved_name');
  else if (HIDDEN_NAMES.has(name))
    report.warning(path, `the variable '${name}' shadows the value of this name in the context`, 'reserved_name');
}

export function checkFrame({ config }: { readonly config: JsonObject }, report: Report): void {
  for (const key of ['header', 'footer']) if (config[key]) report.resource(`config.${key}`, config[key]);
}

/** The object in an answer, such as a location or a media file; or the same object written as JSON text. */
export function objectInAnswer({ text, type, message }: Input, ...kinds: readonly string[]): JsonObject | undefined {
  for (const kind of kinds) if (type === kind && isObject(message?.[kind])) return objectAt(message, kind);
  if (!text.trimStart().startsWith('{')) return undefined;
  const value = readJson(text);
  return isObject(value) ? value : undefined;
}
