import type { TextRange } from '../../components/journey-graph/graph-data.js';
import type { Tone } from '../../components/status.js';
import { texts } from './texts.js';

interface Trigger {
  readonly on: string;
  readonly words?: readonly string[];
  readonly when?: string;
}

export interface Journey {
  readonly uuid: string;
  readonly number: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly triggers: readonly Trigger[];
  readonly draft: string;
  readonly revisions: { readonly staging: string | null; readonly production: string | null };
  readonly updated_at: string;
}

export interface TriggerInOrder {
  readonly journey: string;
  readonly name: string;
  readonly position: number;
  readonly trigger: Trigger;
  readonly not_tried: 'disabled' | 'not_published' | null;
  readonly shadowed_by?: { readonly journey: string; readonly name: string; readonly position: number };
}

export interface Finding extends TextRange {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly fix?: string;
  readonly nearest?: string;
}

export interface Session {
  readonly journey: string;
  readonly uuid: string;
  readonly contact: string;
  readonly state: 'waiting' | 'ended' | 'failed' | 'expired';
  readonly card: string;
  readonly turns: number;
  readonly expires_at: string | null;
  readonly updated_at: string;
}

/** A trigger as authors say it. */
export const wordsOfTrigger = ({ on, words, when }: Trigger): string =>
  [
    { message: texts.anyMessage, first_message: texts.firstMessage, catch_all: texts.catchAll }[on] ?? on,
    words && texts.thatIs(words),
    when !== undefined && texts.if(when),
  ]
    .filter(Boolean)
    .join(' ');

export function stateOf({ enabled, revisions: { production, staging }, draft }: Journey): readonly [Tone, string] {
  if (!enabled) return ['neutral', texts.disabled];
  if (production === null) return ['neutral', staging === null ? texts.draft : texts.stagingOnly];
  return production === draft ? ['ok', texts.isPublished] : ['warn', texts.newerDraft];
}

export interface Revision {
  readonly uuid: string;
  readonly count: number;
  readonly created_at: string;
  readonly format: 'notebook' | 'definition';
  readonly used_as: readonly string[];
  readonly length: number;
  /** When it was last published as production, if that is known. */
  readonly published_at?: string;
}
