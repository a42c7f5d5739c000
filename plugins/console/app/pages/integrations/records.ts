import type { ContextObject, PanelAction, Suggestion } from '../../components/panel-view.js';
import type { Tone } from '../../components/status.js';
import type { Endpoint } from '../../data/endpoints.js';
import { texts } from './texts.js';

export interface Capabilities {
  readonly actions: boolean;
  readonly suggested_responses: boolean;
  readonly context_objects: readonly { readonly title: string; readonly code: string; readonly type: string }[];
}

export interface Trouble {
  readonly kind: string;
  readonly reason: string;
}

/** An integration as the admin API shows it: without its secret and token. */
export interface Integration {
  readonly uuid: string;
  readonly number: string;
  readonly name: string;
  readonly url: string;
  readonly authorization: 'Bearer' | 'Token' | null;
  readonly enabled: boolean;
  readonly order: number;
  readonly created_at: string;
  readonly handshake: {
    readonly state: 'pending' | 'ready' | 'failed';
    readonly at?: string;
    readonly version?: string;
    readonly capabilities?: Capabilities;
    readonly warnings?: readonly { readonly path: string; readonly message: string }[];
    readonly trouble?: Trouble;
  };
}

interface Body {
  readonly bytes: number;
  readonly content: string;
  readonly cut: boolean;
}

interface Half {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Body;
}

export interface IntegrationCall {
  readonly id: string;
  readonly at: string;
  readonly kind: 'handshake' | 'context' | 'action';
  readonly url: string;
  readonly ms: number;
  readonly status: number | null;
  readonly request: Half;
  readonly response: Half | null;
  readonly conversation?: string;
  readonly cause?: 'opened' | 'requested' | 'header' | 'notified';
  readonly action?: string;
  readonly option?: string;
  readonly click?: string;
  readonly trouble?: Trouble;
}

export interface Click {
  readonly uuid: string;
  readonly conversation: string;
  readonly clicked_at: string;
  readonly state: 'sent' | 'accepted' | 'failed';
  readonly status?: number;
  readonly trouble?: Trouble;
  readonly finished_at?: string;
}

export interface Problem {
  readonly code: string;
  readonly pointer: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

export interface TryResult {
  readonly kind: 'handshake' | 'context';
  readonly usable: boolean;
  readonly problems: readonly Problem[];
  readonly capabilities?: Capabilities;
  readonly panel?: {
    readonly context_objects: readonly ContextObject[];
    readonly actions: readonly PanelAction[];
    readonly suggested_responses: readonly Suggestion[];
  };
}

/** The state of an integration, as a sign and a word. */
export function stateOf({ enabled, handshake }: Integration, endpoint: Endpoint | undefined): { tone: Tone; text: string } {
  if (!enabled) return { tone: 'neutral', text: texts.disabled };
  if (handshake.state === 'ready' && endpoint?.state === 'failing') return { tone: 'bad', text: texts.failing };
  if (handshake.state === 'ready' && endpoint?.state === 'unstable') return { tone: 'warn', text: texts.someCallsFail };
  if (handshake.state === 'ready') return { tone: 'ok', text: texts.ready };
  return handshake.state === 'failed' ? { tone: 'bad', text: texts.handshakeFailed } : { tone: 'warn', text: texts.noHandshakeYet };
}

/** The purpose of a call. */
export function titleOf({ kind, cause, action, option }: IntegrationCall): string {
  if (kind === 'handshake') return texts.handshake;
  if (kind === 'action') return option === undefined ? texts.clickOn(action) : texts.clickOn2(action, option);
  return texts.context(cause ? wordsOfCause[cause] : texts.asked);
}

export const wordsOfCause = {
  opened: texts.conversationOpened,
  requested: texts.refreshRequested,
  header: texts.refreshAskedForByA,
  notified: texts.refreshAskedForByNotify,
} as const;
