import t from 'tap';
import type { Tap } from '#core/testing';
import { type FlowsUnderTest, startFlows } from '../plugins/flows/flows-under-test.js';
import { openPage, type PageOptions } from './browser.js';

/** Creates a flow and returns its preview URL on the listening server. */
export async function previewUrl({ api, create, server }: FlowsUnderTest, flow_json: unknown, query = 'interactive=true'): Promise<string> {
  const id = await create({ flow_json });
  const { pathname, search } = new URL((await api('GET', `/v1/flows/${id}/preview`)).body.preview_url);
  return `http://127.0.0.1:${server.info.port}${pathname}${search}&${query}`;
}

/** Starts a platform that listens on HTTP until the test ends. */
export async function listening(t: Tap): Promise<FlowsUnderTest> {
  const platform = await startFlows(t);
  await platform.server.start();
  return platform;
}

let shared: Promise<FlowsUnderTest> | undefined;

/** One platform for all tests that only view pages. */
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
