import { contactProperties } from '../contact-properties.js';
import type { BlockType } from './block-type.js';

/** Sets contact properties and does nothing else. Every other block with `set_contact_property` sets them too. */
export const setContactProperty: BlockType = {
  settings: {},

  enter: () => ({ kind: 'continue' }),
  check({ config }, report) {
    if (contactProperties(config).length === 0) report.error('config.set_contact_property', 'the list of properties is empty or missing');
  },
};
