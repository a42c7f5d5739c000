/** `posthorn/plugins/cloud-api/testing`: the Cloud API of the network, played on your machine, for tests of its clients. */

export { controlSummary } from './control.js';
export { playedCloudApi } from './person.js';
export type { CloudApiStandIn } from './stand-in.js';
export { cloudApiStandIn } from './start.js';
