import type { ComponentChildren } from 'preact';
import { catalogue } from '../../../../core/web/language.js';

export const texts = catalogue({
  numbers: 'Numbers',
  webhooks: 'Webhooks',
  deliveries: 'Deliveries',
  journeys: 'Journeys',
  flows: 'Flows',
  calls: 'Calls',
  searchAndCommands: 'Search and commands',
  signOut: 'Sign out',
  pagesAndCommands: 'Pages and commands',
  contacts: 'Contacts',
  conversations: 'Conversations',
  messages: 'Messages',
  sessions: 'Sessions',
  open2: 'Open',
  clear: 'Clear',
  found: (count: number) => `${count} found`,
  wordsAnIdAPage: 'Words, an id, a page or a command',
  nothingHasTheseWords: 'Nothing has these words.',
  sinceWereSearched: (heading: string, time: ComponentChildren) => (
    <>
      {heading} since {time} were searched.
    </>
  ),
  searchOlder: (heading: string) => `Search older ${heading}`,
  conversationWith: (title: string) => `Conversation with ${title}`,
  why2: (title: string) => `Why? ${title}`,
  page: 'Page',
  command: 'Command',
  saveCharts: 'Save the charts of this page as PNG',
  notSaved: (reason: string) => `Not saved: ${reason}`,
  newNumber: 'New number',
  newChannel: 'New channel',
  newWebhook: 'New webhook',
  newFlow: 'New flow',
  newIntegration: 'New integration',
  searching: 'Searching…',
  pageOf: (plugin: string) => `Page of ${plugin}`,
  theme: (one: string) => `Theme: ${one}`,
});
