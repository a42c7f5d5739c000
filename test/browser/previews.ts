import t from 'tap';
import type { Tap } from '#core/testing';
import { type FlowsUnderTest, startFlows } from '../plugins/flows/flows-under-test.js';
import { openPage, type PageOptions } from './browser.js';

/** The address of a flow's preview on a server that listens. */
export async function previewUrl({ api, create, server }: FlowsUnderTest, flow_json: unknown, query = 'interactive=true'): Promise<string> {
  const id = await create({ flow_json });
  const { pathname, search } = new URL((await api('GET', `/v1/flows/${id}/preview`)).body.preview_url);
  return `http://127.0.0.1:${server.info.port}${pathname}${search}&${query}`;
}

/** A platform that browsers reach, until the test ends. */
export async function listening(t: Tap): Promise<FlowsUnderTest> {
  const platform = await startFlows(t);
  await platform.server.start();
  return platform;
}

let shared: Promise<FlowsUnderTest> | undefined;

/** One for all tests that only look at pages. */
export const sharedPlatform = (): Promise<FlowsUnderTest> => (shared ??= listening(t));

export async function open(t: Tap, flow_json: unknown, query?: string, options?: PageOptions) {
  return openPage(t, await previewUrl(await sharedPlatform(), flow_json, query), options);
}

export const screen = (id: string, children: object[], more: object = {}) => ({
  id,
  title: id.toLowerCase(),
  layout: { type: 'SingleColumnLayout', children },
  ...more,
});
export const flowOf = (...screens: object[]) => ({ version: '7.3', screens });
export const complete = (payload: object = {}) => ({
  type: 'Footer',
  label: 'Finish',
  'on-click-action': { name: 'complete', payload },
});
