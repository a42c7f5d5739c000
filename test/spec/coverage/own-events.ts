/** Events of the event stream that the interface has no word for. */
export const ownEvents: readonly string[] = [
  'advice',
  'contact.changed',
  'delivery.attempted',
  'delivery.queued',
  'delivery.settled',
  'journey.none_fits',
  'journey.none_fits',
  'journey.session_expired',
  'journey.turn_taken',
  'message.accepted',
  'message.queued',
  'message.undeliverable',
  'number.created',
  'webhook.lane_changed',
];
