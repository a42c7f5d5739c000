import type { Rendered } from '../resources.js';
import type { Json } from '../session.js';

/** The references among these values of a config. */
export const uuidsIn = (...values: readonly (Json | undefined)[]): readonly string[] =>
  values.filter((value): value is string => typeof value === 'string' && value !== '');

/** The first text of a resource. */
export const textOf = (parts: readonly Rendered[]): string => parts.find(({ kind }) => kind === 'text')?.text ?? '';

export const numberOf = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined);
