import { event } from '../ports/events.js';

/** Emitted when a journey is created, deleted, published, enabled, disabled or renamed, and for each new draft. */
export const journeyChanged = event<{ journey: string; number: string; name: string }>(
  'journey.changed',
  'A journey was created or deleted, or its draft, revisions, name or state changed.',
);
