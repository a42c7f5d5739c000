import { eventSummary } from '../../core/events/event-summary.js';
import type { StreamEvent } from '../client/admin-client.js';
import { escapeControls } from '../terminal/escape.js';

/** Summarizes an event in one line; events without a summary show their data. */
export const summaryOf = (event: StreamEvent): string => escapeControls(eventSummary(event));
