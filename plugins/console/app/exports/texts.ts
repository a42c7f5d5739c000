import { catalogue, plural } from '../../../../core/web/language.js';

export const texts = catalogue({
  readSoFar: (count: string, backTo: string | null) => `Read ${count}${backTo === null ? '' : `, back to ${backTo}`}`,
  saved: (count: string, what: string) => `Saved ${count} ${what}`,
  savedNewest: (count: string, what: string) => `Saved the newest ${count} ${what}; there are more`,
  calls: 'calls',
  deliveries: 'deliveries',
  contacts: 'contacts',
  savedContact: 'Saved what is stored about the contact',
  events: 'events',
  messages: 'messages',
  records: 'records',
  channels: 'channels',
  flows: 'flows',
  integrations: 'integrations',
  numbers: 'numbers',
  noChart: 'This page has no chart',
  savedCharts: (count: number) => plural(count, 'Saved the chart', `Saved ${count} charts`),
  bytesAsBase64: 'the bytes as base64',
  bodyIsCut: 'a body is cut',
  noHeaders: 'headers were not recorded',
  desk: 'Desk',
  conversation: (name: string, address: string) => `Conversation of ${name} (${address})`,
  conversationWith: (name: string, address: string, number: string, numberAddress: string) =>
    `Conversation of ${name} (${address}) with ${number} (${numberAddress})`,
  olderAreMissing: 'Older messages are not in this file.',
});
