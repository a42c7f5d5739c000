import type { ComponentType } from 'preact';
import type { Drawing } from '../components/icons.js';
import { lazyPart } from '../components/lazy-part.js';
import Overview from '../pages/overview/overview.js';
import { texts } from './texts.js';

/** A page of the console, in the navigation and the palette. */
export interface PageEntry {
  readonly path: string;
  readonly title: string;
  readonly icon: Drawing;
  /** Pressed after `g`. */
  readonly key: string;
  readonly page: ComponentType;
  /** The heading above it in the navigation; empty for none. */
  readonly group: string;
}

/** In the order of the navigation. Every page but the first is loaded when it is opened. */
export const pages: readonly PageEntry[] = [
  { path: '/', title: texts.overview, icon: 'overview', key: 'o', page: Overview, group: '' },
  {
    path: '/inbox',
    title: texts.inbox,
    icon: 'inbox',
    key: 'i',
    page: lazyPart(() => import('../pages/inbox/inbox.js')),
    group: texts.talk,
  },
  {
    path: '/contacts',
    title: texts.contacts,
    icon: 'contacts',
    key: 't',
    page: lazyPart(() => import('../pages/contacts/contacts.js')),
    group: texts.talk,
  },
  {
    path: '/numbers',
    title: texts.numbers,
    icon: 'numbers',
    key: 'n',
    page: lazyPart(() => import('../pages/numbers/numbers.js')),
    group: texts.deliver,
  },
  {
    path: '/channels',
    title: texts.channels,
    icon: 'channels',
    key: 'c',
    page: lazyPart(() => import('../pages/channels/channels.js')),
    group: texts.deliver,
  },
  {
    path: '/webhooks',
    title: texts.webhooks,
    icon: 'external',
    key: 'w',
    page: lazyPart(() => import('../pages/webhooks/webhooks.js')),
    group: texts.deliver,
  },
  {
    path: '/deliveries',
    title: texts.deliveries,
    icon: 'deliveries',
    key: 'd',
    page: lazyPart(() => import('../pages/deliveries/deliveries.js')),
    group: texts.deliver,
  },
  {
    path: '/journeys',
    title: texts.journeys,
    icon: 'journeys',
    key: 'j',
    page: lazyPart(() => import('../pages/journeys/journeys.js')),
    group: texts.build,
  },
  {
    path: '/flows',
    title: texts.flows,
    icon: 'flows',
    key: 'f',
    page: lazyPart(() => import('../pages/flows/flows.js')),
    group: texts.build,
  },
  {
    path: '/integrations',
    title: texts.integrations,
    icon: 'integrations',
    key: 'p',
    page: lazyPart(() => import('../pages/integrations/integrations.js')),
    group: texts.build,
  },
  { path: '/why', title: texts.why, icon: 'why', key: 'y', page: lazyPart(() => import('../pages/why/why.js')), group: texts.look },
  {
    path: '/calls',
    title: texts.calls,
    icon: 'calls',
    key: 'a',
    page: lazyPart(() => import('../pages/calls/calls.js')),
    group: texts.look,
  },
  {
    path: '/events',
    title: texts.events,
    icon: 'events',
    key: 'e',
    page: lazyPart(() => import('../pages/events/events.js')),
    group: texts.look,
  },
  {
    path: '/signature',
    title: texts.signature,
    icon: 'signature',
    key: 's',
    page: lazyPart(() => import('../pages/signature/signature.js')),
    group: texts.look,
  },
  {
    path: '/advice',
    title: texts.advice,
    icon: 'advice',
    key: 'v',
    page: lazyPart(() => import('../pages/advice/advice.js')),
    group: texts.look,
  },
  {
    path: '/settings',
    title: texts.settings,
    icon: 'settings',
    key: ',',
    page: lazyPart(() => import('../pages/settings/settings.js')),
    group: texts.settings,
  },
  {
    path: '/audit',
    title: texts.audit,
    icon: 'audit',
    key: 'u',
    page: lazyPart(() => import('../pages/audit/audit.js')),
    group: texts.settings,
  },
];
