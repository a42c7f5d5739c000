import { StateOfEndpoint } from '../../components/endpoint-health.js';
import { Status } from '../../components/status.js';
import type { Endpoint } from '../../data/endpoints.js';
import type { ShownWebhook } from '../../data/records.js';
import { texts } from './texts.js';

/** Whether a webhook receives events now, and whether its receiver works. */
export function StateOfWebhook({ webhook, endpoint }: { webhook: ShownWebhook; endpoint: Endpoint | undefined }) {
  const { enabled, paused_at: pausedAt, paused_because: because } = webhook;
  if (!enabled) return <Status tone="bad">{texts.disabled}</Status>;
  if (pausedAt !== undefined) return <Status tone="warn">{because === 'failures' ? texts.pausedByFailures : texts.paused}</Status>;
  return <StateOfEndpoint endpoint={endpoint} />;
}
