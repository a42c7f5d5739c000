import type { Json, JsonObject } from '../json.js';
import type { Run } from './blocks/block-type.js';
import { isObject } from './compile.js';
import { plainValue } from './plain-value.js';

/** What a block writes to the contact: release candidate 4 has a list, earlier ones a single property. */
export const contactProperties = (config: JsonObject): readonly Json[] => {
  const properties = config.set_contact_property;
  return properties === undefined || properties === null ? [] : Array.isArray(properties) ? properties : [properties];
};

/** Writes what the block's config says to the contact, before the exit is chosen. */
export function applyContactProperties(run: Run): void {
  for (const property of contactProperties(run.config)) {
    if (!isObject(property) || typeof property.property_key !== 'string') continue;
    run.setContactField(property.property_key, plainValue(run.resolve(property.property_value ?? null)));
  }
}
