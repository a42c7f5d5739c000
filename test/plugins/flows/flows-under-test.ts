import { type Answer, startPlatform, type Tap, type TestPlatform, type TestPlatformOptions } from '#core/testing';
import type { FlowStatus } from '../../../plugins/flows/operator/flow-operator.js';
import { type FlowsOptions, flows } from '../../../plugins/flows/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { network } from '../../../plugins/network/plugin.js';
import { cloudCarrier } from '../cloud-api/carrier.js';

const CONTACT = '27831234567';

/** A platform with a network number of the account `ours`, and calls with its token. */
export interface FlowsUnderTest extends TestPlatform {
  readonly own: { readonly uuid: string; readonly token: string };
  api(method: string, path: string, payload?: unknown, headers?: Record<string, string>): Promise<Answer>;
  create(about?: object): Promise<string>;
  upload(id: string, file: string | Buffer): Promise<Answer>;
  /** Sets a status that follows from the health of the flow's endpoint. */
  health(id: string, status: FlowStatus): Promise<void>;
  /** The stored definition of a flow, from its download URL. */
  definition(id: string): Promise<unknown>;
  /** A message of the contact opens the day in which the network accepts messages that are not templates. */
  contactWrites(): Promise<void>;
}

export async function startFlows(
  t: Tap,
  options: Partial<TestPlatformOptions> = {},
  own: Partial<FlowsOptions> = {},
): Promise<FlowsUnderTest> {
  const carrier = process.env.POSTHORN_CARRIER === 'cloud' && !own.operator ? await cloudCarrier() : undefined;
  const forms = flows({ ...own, ...(carrier && { operator: carrier.flowOperator }) });
  const plugins = [forms, messages(), network(), ...(carrier ? [carrier.plugin] : [])];
  const platform = await startPlatform(t, { plugins, ...options, ports: { ...options.ports, ...carrier?.ports } });
  const number = await platform.number('network', { account: 'ours' });
  await carrier?.connect(platform, number.uuid);
  const { token } = number;
  const api: FlowsUnderTest['api'] = async (method, path, payload, headers = {}) => {
    const answer = await platform.call(method, path, { token, headers, ...(payload !== undefined && { payload }) });
    if (!carrier) return answer;
    await carrier.settle();
    // The page of the plugin lists this field as a difference; without it, the other fields are compared.
    const { local_validation_errors: _, ...body } = answer.body ?? {};
    return { ...answer, body: answer.body === undefined || Array.isArray(answer.body) ? answer.body : body };
  };
  return {
    ...platform,
    own: number,
    api,
    async create(about = {}) {
      const { status, body } = await api('POST', '/v1/flows', { name: `flow ${Math.random()}`, flow_json: survey, ...about });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body.id;
    },
    upload(id, file) {
      const { body, type } = multipart([{ name: 'file', filename: 'flow.json', type: 'application/json', content: file }]);
      return api('POST', `/v1/flows/${id}/assets`, body, { 'content-type': type });
    },
    async health(id, status) {
      if (carrier) return carrier.flowHealth(id, status);
      const { status: answered, body } = await platform.admin('POST', `/flows/${id}/health`, { status });
      if (answered !== 200) throw new Error(JSON.stringify(body));
    },
    async definition(id) {
      const [asset] = (await api('GET', `/v1/flows/${id}/assets`)).body.data;
      if (carrier) return carrier.download(asset.download_url);
      const { pathname, search } = new URL(asset.download_url);
      return (await platform.call('GET', `${pathname}${search}`)).body;
    },
    async contactWrites() {
      const message = { from: CONTACT, type: 'text', text: { body: 'hello' } };
      const { status, body } = await (carrier?.phone(platform, number.uuid, message) ??
        platform.admin('POST', `/network/numbers/${number.uuid}/messages`, message));
      if (status !== 201) throw new Error(JSON.stringify(body));
    },
  };
}

interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly content: string | Buffer;
}

/** A multipart body with a file. */
export function multipart(parts: readonly Part[]): { body: Buffer; type: string } {
  const boundary = '----boundary-of-the-tests';
  const written = parts.flatMap(({ name, filename, type, content }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n`,
    type === undefined ? '\r\n' : `Content-Type: ${type}\r\n\r\n`,
    content,
    '\r\n',
  ]);
  const chunks = [...written, `--${boundary}--\r\n`].map((chunk) => Buffer.from(chunk as string));
  return { body: Buffer.concat(chunks), type: `multipart/form-data; boundary=${boundary}` };
}

/** The example of the interface: one screen with a question that completes the flow. */
export const metaOf = (status: number) => ({ version: 'v1', api_status: 'stable', http_code: status });

export const survey = {
  version: '7.3',
  screens: [
    {
      id: 'SURVEY',
      title: 'Feedback',
      terminal: true,
      data: { name: { type: 'string', __example__: 'Ada' } },
      layout: {
        type: 'SingleColumnLayout',
        children: [
          { type: 'TextHeading', text: 'How was it?' },
          {
            type: 'RadioButtonsGroup',
            name: 'rating',
            label: 'Your rating',
            required: true,
            'data-source': [
              { id: 'good', title: 'Good' },
              { id: 'bad', title: 'Bad' },
            ],
          },
          { type: 'Footer', label: 'Send', 'on-click-action': { name: 'complete', payload: { rating: `\${form.rating}` } } },
        ],
      },
    },
  ],
};

/** The payload of a message with a flow. */
export const flowMessage = (flow_id: string, parameters: object = {}) => ({
  to: CONTACT,
  type: 'interactive',
  interactive: {
    type: 'flow',
    body: { text: 'We would like to hear from you.' },
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
