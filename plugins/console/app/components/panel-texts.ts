import { catalogue, plural } from '../../../../core/web/language.js';

export const texts = catalogue({
  putIntoTheReply: 'Put into the reply',
  theCallFailed: 'the call failed',
  theIntegrationAcceptedIt: (description: string) => `${description}: the integration accepted it`,
  integrations: 'Integrations',
  context: 'Context',
  refresh: 'Refresh',
  asking: 'Asking…',
  noIntegrationIsEnabledFor: 'No integration is enabled for this number.',
  notCurrent: 'not current',
  failed: 'failed',
  copy: (description: string) => `Copy “${description}”`,
  partPartsOfTheResponse: (count: number) => `${count} ${plural(count, 'part', 'parts')} of the response ignored`,
  suggestedReplies: 'Suggested replies',
});
