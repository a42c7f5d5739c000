import type { TestPlatform } from '#core/testing';

/** The contacts of the numbers `library` and `desk`. */
export const PHONE = '27820001001';
export const VISITOR = '+27820002002';

/** Values for tests of the data folder: values that a test cannot read from the folder, such as secrets, and values that it must find there. */
export interface Written {
  /** The time of the copy, by the platform's clock. */
  readonly at: string;
  readonly tokens: { readonly library: string; readonly desk: string; readonly revoked: string };
  readonly numbers: { readonly library: string; readonly desk: string };
  /** The webhooks with their signing secrets; `owner` also has a previous one. */
  readonly webhooks: Readonly<Record<'owner' | 'retrying' | 'paused' | 'hanging' | 'connector', { uuid: string; secret: string }>>;
  readonly previousSecret: string;
  readonly integration: { readonly uuid: string; readonly secret: string; readonly token: string; readonly click: string };
  readonly journeys: { readonly order: string; readonly helper: string; readonly reminder: string };
  readonly medium: string;
  readonly pages: { readonly preview: string; readonly form: string };
  readonly conversation: string;
  /** Responses to GET requests at the time of the copy: of the admin API, and of the API with the library's token. */
  readonly shown: Readonly<Record<string, unknown>>;
}

/** The same while it is being written. */
export type Making = { -readonly [K in keyof Written]: Written[K] };

export const simulate = (test: TestPlatform, { journeys, tokens }: Pick<Written, 'journeys' | 'tokens'>, more: object) =>
  strict(test).call('POST', `/v1/journeys/${journeys.order}/simulation`, tokens.desk, { simulation_id: 'simulation-1', ...more });

/** Calls that throw unless they succeed. */
export function strict(test: TestPlatform) {
  // biome-ignore lint/suspicious/noExplicitAny: any response body
  const good = (what: string, { status, body }: { status: number; body: any }): any => {
    if (status >= 300) throw new Error(`${what}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  return {
    ...test,
    admin: async (method: string, path: string, payload?: unknown) => good(`${method} ${path}`, await test.admin(method, path, payload)),
    call: async (method: string, path: string, token: string, payload?: unknown, headers?: Record<string, string>) =>
      good(
        `${method} ${path}`,
        await test.call(method, path, { token, ...(payload !== undefined && { payload }), ...(headers && { headers }) }),
      ),
  };
}
