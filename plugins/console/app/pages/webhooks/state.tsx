import { Status } from '../../components/status.js';
import type { ShownWebhook } from '../../data/records.js';

/** Whether a webhook receives events now. */
export function StateOfWebhook({ webhook: { enabled, paused_at: pausedAt, paused_because: because } }: { webhook: ShownWebhook }) {
  if (!enabled) return <Status tone="bad">disabled</Status>;
  if (pausedAt !== undefined) return <Status tone="warn">paused{because === 'failures' ? ' after failures' : ''}</Status>;
  return <Status tone="ok">active</Status>;
}
