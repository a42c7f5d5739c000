import type { ConsoleUnderTest } from './console.js';

/** Ids of records with hostile content, for pages that show one record. */
export interface Filled {
  readonly calls: readonly string[];
  readonly messages: readonly string[];
  readonly conversations: readonly string[];
  readonly advice: readonly string[];
  readonly number: string;
  readonly journeys: readonly string[];
  readonly webhooks: readonly string[];
  /** With two attempts each. */
  readonly deliveries: readonly string[];
}

export interface TestedPage {
  readonly title: string;
  /** Their paths after hostile content was added. */
  paths(filled: Filled, console: ConsoleUnderTest): readonly string[];
  /** Selects each visible row, one after the other. */
  readonly hasRows?: boolean;
}

const DELIVERY_TABS = ['timeline', 'request', 'response', 'signature', 'event', 'diff'] as const;
const TABS = ['overview', 'text', 'graph', 'sessions', 'revisions', 'triggers', 'tests'] as const;

/** The pages that the test with hostile content walks through. A page joins by adding a line. */
export const testedPages: readonly TestedPage[] = [
  { title: 'Calls', paths: ({ calls }) => ['calls', ...calls.map((id) => `calls/${id}`)], hasRows: true },
  {
    title: 'Events',
    paths: ({ messages, conversations }) => [
      'events',
      `events?filter=${encodeURIComponent('"<script>" -state:"')}`,
      ...[...messages.slice(0, 3), ...conversations.slice(0, 3)].map((id) => `events?about=${id}`),
    ],
    hasRows: true,
  },
  { title: 'Why', paths: ({ messages }) => ['why', ...messages.map((id) => `why?message=${id}`)] },
  {
    title: 'Advice',
    paths: ({ advice }) => ['advice', ...advice.slice(0, 3).map((id) => `advice/${encodeURIComponent(id)}`)],
    hasRows: true,
  },
  { title: 'Overview', paths: () => [''] },
  { title: 'Inbox', paths: ({ conversations }) => ['inbox', ...conversations.slice(0, 5).map((id) => `inbox/${id}`)] },
  { title: 'Contacts', paths: () => ['contacts', 'contacts?text=script'], hasRows: true },
  { title: 'Numbers', paths: ({ number }) => ['numbers', ...(number ? [`numbers/${number}`] : [])] },
  { title: 'Channels', paths: ({ number }) => ['channels', ...(number ? [`channels/${number}`] : [])] },
  { title: 'Flows', paths: () => ['flows', 'flows/new'], hasRows: true },
  { title: 'Webhooks', paths: ({ webhooks }) => ['webhooks', ...webhooks.map((id) => `webhooks/${id}`)] },
  {
    title: 'Journeys',
    paths: ({ journeys }) => ['journeys', ...journeys.flatMap((id) => TABS.map((tab) => `journeys/${id}?tab=${tab}`))],
  },
  {
    title: 'Deliveries',
    paths: ({ deliveries }) => ['deliveries', ...deliveries.flatMap((id) => DELIVERY_TABS.map((tab) => `deliveries/${id}?tab=${tab}`))],
  },
  { title: 'Signature', paths: ({ deliveries }) => ['signature', ...deliveries.map((id) => `signature?delivery=${id}`)] },
  { title: 'Integrations', paths: () => ['integrations', 'integrations/new'] },
  {
    title: 'Settings',
    paths: () => ['', '/faults', '/state', '/seed', '/switches', '/plugins', '/connections', '/cassettes'].map((part) => `settings${part}`),
  },
];
