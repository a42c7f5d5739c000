import { collection, owned, type TypeOf } from '#core';
import type { clickSchema, integrationSchema } from './schemas.js';

export type IntegrationRecord = TypeOf<typeof integrationSchema>;

export const integrations = collection<IntegrationRecord>({
  key: 'uuid',
  tenant: { number: 'number' },
  indexes: { number: ['number', 'order', 'created_at', 'uuid'] },
  audited: ['name', 'url', 'authorization', 'enabled', 'order'],
});

/** An integration that an admin call names. */
export const ofIntegration = owned.record(integrations, 'integration');

/** A click on an action: ids and states, never content that an integration returned. */
export type ClickRecord = TypeOf<typeof clickSchema>;

export const clicks = collection<ClickRecord>({
  key: 'uuid',
  tenant: { number: 'number' },
  indexes: { integration: ['integration', 'clicked_at', 'uuid'], age: ['clicked_at', 'uuid'] },
});
