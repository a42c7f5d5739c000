import type { NewFault } from './fault-rule.js';

/** Rules for situations that every connector and receiver has to survive; the keys are the names of the presets. */
export const faultPresets: Readonly<Record<string, { readonly summary: string; readonly rules: readonly NewFault[] }>> = {
  'flaky-endpoint': {
    summary: 'two attempts fail with status 500, then deliveries succeed',
    rules: [{ where: 'deliveries', effect: { kind: 'status', status: 500 }, times: 2 }],
  },
  'slow-then-dead': {
    summary: 'three responses are three seconds late, then connections are refused',
    rules: [
      { where: 'deliveries', effect: { kind: 'delay', delay_ms: 3_000 }, times: 3 },
      { where: 'deliveries', effect: { kind: 'refuse' }, times: 20 },
    ],
  },
  'duplicate-storm': {
    summary: 'each of ten deliveries arrives six times',
    rules: [{ where: 'deliveries', effect: { kind: 'duplicate', copies: 5 }, times: 10 }],
  },
  'read-before-delivered': {
    summary: 'the status delivered arrives five seconds late, after the status read',
    rules: [{ where: 'deliveries', match: { contains: '"status":"delivered"' }, effect: { kind: 'reorder', window_ms: 5_000 }, times: 10 }],
  },
  'out-of-order-statuses': {
    summary: 'half of the statuses arrive five seconds late',
    rules: [
      { where: 'deliveries', match: { contains: '"statuses":[' }, effect: { kind: 'reorder', window_ms: 5_000 }, rate: 0.5, seed: 1 },
    ],
  },
  'expired-media-link': {
    summary: 'the links to media files in the next delivery have expired',
    rules: [{ where: 'deliveries', match: { contains: '"link":' }, effect: { kind: 'expired_link' }, times: 1 }],
  },
};
