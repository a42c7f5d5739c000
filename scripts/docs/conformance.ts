import { checksOfApi } from '../../sandbox/conform/api/index.js';
import type { Check } from '../../sandbox/conform/check.js';
import { checksOfConnectors } from '../../sandbox/conform/connector/index.js';
import { checksOfIntegrations } from '../../sandbox/conform/integration/index.js';
import { checksOfWebhooks } from '../../sandbox/conform/webhook/index.js';
import { table } from './table.js';

const FILE = 'sandbox/conformance.md';

const tableOf = (subject: string, checks: readonly Check<never>[]): string =>
  table(
    ['Check', 'Level', `A conforming ${subject}`, 'Section'],
    checks.map(({ id, level, title, section }) => [id, level, `${title}.`, section]),
  );

/** The tables of all checks. */
export const conformanceParts = [
  { file: FILE, name: 'checks of connectors', make: () => tableOf('connector', checksOfConnectors) },
  { file: FILE, name: 'checks of webhooks', make: () => tableOf('receiver', checksOfWebhooks) },
  { file: FILE, name: 'checks of integrations', make: () => tableOf('integration', checksOfIntegrations) },
  { file: FILE, name: 'checks of the API', make: () => tableOf('implementation', checksOfApi) },
];
