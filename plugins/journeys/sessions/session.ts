import type { SessionRecord } from '../records.js';
import type { SessionView } from '../schemas.js';

/** Whether a session waits for its contact. An overdue session does not wait, even if its timer has not run yet. */
export const isWaiting = (session: SessionRecord | undefined, now: Date): session is SessionRecord & { readonly expires_at: string } =>
  typeof session?.expires_at === 'string' && Date.parse(session.expires_at) > now.getTime();

export function viewOf({
  parked_for: _parked,
  over_at: _over,
  moved_from: _moved,
  revisions: _revisions,
  data: _data,
  data_bytes: _bytes,
  asked: _asked,
  ...view
}: SessionRecord): SessionView {
  return view;
}
