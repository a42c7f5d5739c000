import type { Json, JsonObject } from '#core/basics';
import type { Run } from './blocks/block-type.js';
import { isObject, plainValue } from './compile.js';

/** The contact properties that a block sets. Release candidate 4 has a list; earlier versions have a single property. */
export const contactProperties = (config: JsonObject): readonly Json[] => {
  const properties = config.set_contact_property;
  return properties === undefined || properties === null ? [] : Array.isArray(properties) ? properties : [properties];
};

/** Writes the block's `set_contact_property` to the contact. Runs before the exit is chosen, so that tests see the new values. */
export function applyContactProperties(run: Run): void {
  for (const property of contactProperties(run.config)) {
    if (!isObject(property) || typeof property.property_key !== 'string') continue;
    run.setContactField(property.property_key, plainValue(run.resolve(property.property_value ?? null)));
  }
}
