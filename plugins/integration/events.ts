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
  { outcome: outcomeOf },
);
export const contextPolled = event<ContextPolled>('integration.polled', 'An integration was polled for its panel beside a conversation.', {
  outcome: outcomeOf,
});
export const actionClicked = event<ActionClicked>(
  'integration.clicked',
  'A click on an action was posted to its integration; the call succeeded or failed.',
  { outcome: outcomeOf },
);
export const actionFinished = event<ActionFinished>(
  'integration.finished',
  'An integration reported that an action is done; the conversation is refreshed.',
);

type Called = Pick<ContextPolled, 'integration' | 'number' | 'trouble' | 'status'> & { readonly ms?: number };

/** How a call went, for the health of the integration. */
function outcomeOf({ integration: endpoint, number, trouble: code, status, ms }: Called) {
  return { endpoint, number, ok: code === undefined, code, status, ms: status === undefined ? undefined : ms };
}
