import { definePlugin, type PluginContext } from '#core';
import type { TestPlatform } from '#core/testing';
import { survey } from './flows/flows-under-test.js';

/** Creates and publishes the flow with one question. @returns its id */
export async function publishedFlow(
  { admin }: Pick<TestPlatform, 'admin'>,
  definition: object = survey,
  account = 'ours',
): Promise<string> {
  const name = `flow ${Math.random()}`;
  const { status, body } = await admin('POST', '/flows', { account, name, definition: JSON.stringify(definition), publish: true });
  if (status !== 201 || body.flow.status !== 'PUBLISHED') throw new Error(JSON.stringify(body));
  return body.flow.id;
}

/** A message with a flow, as drivers get it. */
export const flowTurn = (flow_id: string, parameters: object = {}) => ({
  type: 'interactive',
  interactive: {
    type: 'flow',
    header: { type: 'text', text: 'Library' },
    body: { text: 'How was it?' },
    footer: { text: 'Thank you' },
    action: {
      name: 'flow',
      parameters: {
        flow_id,
        flow_cta: 'Give feedback',
        flow_action: 'navigate',
        flow_action_payload: { screen: 'SURVEY' },
        flow_message_version: '3',
        flow_token: 'token-17',
        mode: 'published',
        ...parameters,
      },
    },
  },
});

/** The path of a link to a form in a text. */
export const formPath = (text: string): string => /\/flow-messages\/[0-9a-f-]{36}\?token=[\w-]{22}/.exec(text)![0];

/** A plugin that passes on the forms of the platform, as a channel gets them. */
export function withForms() {
  let forms: PluginContext['forms'] | undefined;
  const plugin = definePlugin({
    name: 'form-user',
    version: '1.0.0',
    register(context) {
      forms = context.forms;
      return {};
    },
  });
  return { plugin: plugin(), forms: () => forms! };
}
