import type { BlockRun } from './block-run.js';
import { isObject } from './compile.js';
import { JOURNEY_LIMITS } from './limits.js';
import type { Progress } from './progress.js';
import type { Json, JsonObject } from './session.js';

/** What a block writes to the contact: release candidate 4 has a list, earlier ones a single property. */
export const contactProperties = (config: JsonObject): readonly Json[] => {
  const properties = config.set_contact_property;
  return properties === undefined || properties === null ? [] : Array.isArray(properties) ? properties : [properties];
};

/** Writes what the block's config says to the contact, before the exit is chosen. */
export function applyContactProperties(run: BlockRun, progress: Progress): void {
  for (const property of contactProperties(run.config)) {
    if (!isObject(property) || typeof property.property_key !== 'string') continue;
    const key = property.property_key;
    const value = plain(run.resolve(property.property_value ?? null));
    const next = typeof value === 'string' ? run.cut(value, JOURNEY_LIMITS.field) : value;
    const old = Object.hasOwn(progress.contact, key) ? (progress.contact[key] ?? null) : null;
    progress.setContact({ ...progress.contact, [key]: next });
    run.emit({ type: 'contact_field_set', key, old, new: next });
  }
}

/** A field holds a value, not the details of a value. */
const plain = (value: Json): Json => (isObject(value) && Object.hasOwn(value, '__value__') ? (value.__value__ ?? null) : value);
