import type { ComponentType } from 'preact';
import type { Drawing } from '../components/icons.js';
import { lazyPart } from '../components/lazy-part.js';
import Overview from '../pages/overview/overview.js';

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
  { path: '/', title: 'Overview', icon: 'overview', key: 'o', page: Overview, group: '' },
  { path: '/inbox', title: 'Inbox', icon: 'inbox', key: 'i', page: lazyPart(() => import('../pages/inbox/inbox.js')), group: 'Talk' },
  {
    path: '/numbers',
    title: 'Numbers',
    icon: 'numbers',
    key: 'n',
    page: lazyPart(() => import('../pages/numbers/numbers.js')),
    group: 'Deliver',
  },
  {
    path: '/channels',
    title: 'Channels',
    icon: 'channels',
    key: 'c',
    page: lazyPart(() => import('../pages/channels/channels.js')),
    group: 'Deliver',
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    icon: 'external',
    key: 'w',
    page: lazyPart(() => import('../pages/webhooks/webhooks.js')),
    group: 'Deliver',
  },
  {
    path: '/deliveries',
    title: 'Deliveries',
    icon: 'deliveries',
    key: 'd',
    page: lazyPart(() => import('../pages/deliveries/deliveries.js')),
    group: 'Deliver',
  },
  {
    path: '/journeys',
    title: 'Journeys',
    icon: 'journeys',
    key: 'j',
    page: lazyPart(() => import('../pages/journeys/journeys.js')),
    group: 'Build',
  },
  { path: '/flows', title: 'Flows', icon: 'flows', key: 'f', page: lazyPart(() => import('../pages/flows/flows.js')), group: 'Build' },
  {
    path: '/integrations',
    title: 'Integrations',
    icon: 'integrations',
    key: 'p',
    page: lazyPart(() => import('../pages/integrations/integrations.js')),
    group: 'Build',
  },
  { path: '/why', title: 'Why?', icon: 'why', key: 'y', page: lazyPart(() => import('../pages/why/why.js')), group: 'Look' },
  { path: '/calls', title: 'Calls', icon: 'calls', key: 'a', page: lazyPart(() => import('../pages/calls/calls.js')), group: 'Look' },
  { path: '/events', title: 'Events', icon: 'events', key: 'e', page: lazyPart(() => import('../pages/events/events.js')), group: 'Look' },
  {
    path: '/signature',
    title: 'Signature',
    icon: 'signature',
    key: 's',
    page: lazyPart(() => import('../pages/signature/signature.js')),
    group: 'Look',
  },
  { path: '/advice', title: 'Advice', icon: 'advice', key: 'v', page: lazyPart(() => import('../pages/advice/advice.js')), group: 'Look' },
  {
    path: '/settings',
    title: 'Settings',
    icon: 'settings',
    key: ',',
    page: lazyPart(() => import('../pages/settings/settings.js')),
    group: 'Settings',
  },
  { path: '/audit', title: 'Audit', icon: 'audit', key: 'u', page: lazyPart(() => import('../pages/audit/audit.js')), group: 'Settings' },
];
