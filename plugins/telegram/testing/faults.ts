import type { FaultRule, RecordedCall } from '#core/testing';
import { ApiError } from './api-error.js';

/** A refusal: its code alone, or with a text and its parameters. */
export type TelegramRefusal =
  | number
  | { readonly code: number; readonly description?: string; readonly retry_after?: number; readonly migrate_to_chat_id?: number };

/** The outcome of matching calls. Give one of `error`, `respond` and `connection`, or none. */
export interface TelegramFault extends FaultRule {
  /** Which calls the rule is for: all given fields must match. `download` is the method of files. */
  readonly on?: { readonly method?: string; readonly chat?: number; readonly contains?: string };
  /** Refuses the call; nothing is recorded. 401 is a revoked token. */
  readonly error?: TelegramRefusal;
  /** Responds with this, such as a 502 with HTML; nothing is recorded. */
  readonly respond?: { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };
  /**
   * `reset`: the connection breaks before the call is accepted. `reset after`: the call is accepted, then the connection breaks. `silent`: the
   * call is accepted, but gets no response. `hang`: the call is not accepted, and gets no response.
   */
  readonly connection?: 'reset' | 'reset after' | 'hang' | 'silent';
  /** Milliseconds by which the response is delayed after the call was accepted. */
  readonly holdMs?: number;
  /** The message is accepted with the `message_id` 0. */
  readonly isScheduled?: boolean;
}

export function errorOf(error: TelegramRefusal): ApiError {
  if (typeof error === 'number') return new ApiError(error);
  const { code, description, ...parameters } = error;
  return new ApiError(code, description, Object.keys(parameters).length > 0 ? parameters : undefined);
}

export function matches(
  on: TelegramFault['on'] = {},
  { method, chat, call }: { readonly method: string; readonly chat: number | undefined; readonly call: RecordedCall },
): boolean {
  if (on.method !== undefined && on.method.toLowerCase() !== method.toLowerCase()) return false;
  if (on.chat !== undefined && on.chat !== chat) return false;
  return on.contains === undefined || call.text.includes(on.contains);
}
