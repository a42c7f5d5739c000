import { contactProperties } from '../contact-properties.js';
import type { BlockType } from './block-type.js';

/** Writes to the contact, as every block with `set_contact_property` does; this one does nothing else. */
export const setContactProperty: BlockType = {
  settings: {},

  enter: () => ({ kind: 'continue' }),
  check({ config }, report) {
    if (contactProperties(config).length === 0) report.error('config.set_contact_property', 'the list of properties is empty or missing');
  },
};
