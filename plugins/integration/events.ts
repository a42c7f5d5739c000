import { event } from '#core';

/** Events about calls to integrations. They contain outcomes and sizes, never content that an integration returned. */

export interface IntegrationHandshake {
  readonly integration: string;
  readonly number: string;
  readonly state: 'ready' | 'failed';
  readonly trouble?: string;
}

export interface ContextPolled {
  readonly integration: string;
  readonly number: string;
  readonly conversation: string;
  readonly state: 'loaded' | 'failed';
  readonly trouble?: string;
  readonly status?: number;
  readonly bytes?: number;
  readonly ms: number;
}

export interface ActionClicked {
  readonly integration: string;
  readonly number: string;
  readonly conversation: string;
  readonly click: string;
  readonly state: 'accepted' | 'failed';
  readonly trouble?: string;
  readonly status?: number;
  /** Whether the integration asked for an immediate refresh. */
  readonly refresh: boolean;
}

export interface ActionFinished {
  readonly integration: string;
  readonly number: string;
  readonly conversation: string;
  readonly click: string;
}

export const integrationHandshake = event<IntegrationHandshake>(
  'integration.shaken',
  'A handshake with an integration succeeded or failed.',
);
export const contextPolled = event<ContextPolled>('integration.polled', 'An integration was polled for its panel beside a conversation.');
export const actionClicked = event<ActionClicked>(
  'integration.clicked',
  'A click on an action was posted to its integration; the call succeeded or failed.',
);
export const actionFinished = event<ActionFinished>(
  'integration.finished',
  'An integration reported that an action is done; the conversation is refreshed.',
);
