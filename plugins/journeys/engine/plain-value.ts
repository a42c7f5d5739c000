import { exactJson, type Json } from '#core/basics';
import { isObject } from './compile.js';

/** The plain value of `{__value__, …details}`; any other value unchanged. */
export const plainValue = (value: Json): Json => (isObject(value) && Object.hasOwn(value, '__value__') ? (value.__value__ ?? null) : value);

/** A value as text: empty for nil, JSON for lists and objects. */
export const asText = (value: Json | undefined): string => {
  const plain = plainValue(value ?? null);
  return plain === null ? '' : typeof plain === 'object' ? exactJson(plain) : String(plain);
};
