import { event } from '#core';

/** The events that the plugin announces about calls to an integration: which one, the outcome and sizes, never what it returned. */

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
  /** The integration asked for a refresh at once. */
  readonly refresh: boolean;
}

export interface ActionFinished {
  readonly integration: string;
  readonly number: string;
  readonly conversation: string;
  readonly click: string;
}

export const integrationHandshake = event<IntegrationHandshake>('integration.shaken', 'A handshake with an integration ended.');
export const contextPolled = event<ContextPolled>('integration.polled', 'An integration was asked for what to show beside a conversation.');
export const actionClicked = event<ActionClicked>(
  'integration.clicked',
  'An action of an integration was clicked, and the integration has answered or not.',
);
export const actionFinished = event<ActionFinished>(
  'integration.finished',
  'An integration said that an action is done and the conversation is to be refreshed.',
);
