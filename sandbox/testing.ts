/** The entry point `posthorn/testing`: the test tools of the core, and those that moved to a plugin under their earlier names. */

export * from '#core/testing';

/** @deprecated Import these names from `posthorn/plugins/cloud-api/testing`. */
export { type CloudApiStandIn, cloudApiStandIn, controlSummary } from '../plugins/cloud-api/testing/index.js';
