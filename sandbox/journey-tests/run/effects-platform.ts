import Hapi from '@hapi/hapi';
import { createPlatform, definePlugin, type Logger, type PlatformOptions } from '#core';
import type { JourneysContext } from '../../../plugins/journeys/plugin.js';
import { journeys, withJourneys } from '../../../plugins/journeys/plugin.js';

/** The credentials that requests of a journey need. */
export interface Account {
  /** The values of secrets; the keys are their names. */
  readonly secrets: Readonly<Record<string, string>>;
  /** AI connections; the keys are their names. */
  readonly models: Readonly<Record<string, { readonly base_url: string; readonly model: string; readonly token: string | null }>>;
}

/** A platform in memory that performs effects. */
export interface EffectsPlatform {
  readonly context: JourneysContext;
  /** Creates a number with secrets and AI connections. @returns its uuid */
  numberWith(account: Account): Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts a platform in memory that performs effects without a mock: HTTP requests and models that are recorded, and the code of skills.
 * @param ports replaces ports, such as the HTTP client
 */
export async function openEffectsPlatform(ports: PlatformOptions['ports'] = {}): Promise<EffectsPlatform> {
  let context: JourneysContext | undefined;
  const access = definePlugin({
    name: 'tests',
    needs: [journeys],
    version: '0.1.0',
    register(given) {
      context = withJourneys(given);
      return {};
    },
  });
  const server = Hapi.server();
  const key = crypto.randomUUID();
  const platform = createPlatform({
    plugins: [journeys(), access()],
    admin: { key },
    rateLimits: false,
    privateTargets: 'allow',
    ports: { log: quiet, ...ports },
  });
  await server.register(platform.hapiPlugin);
  await server.initialize();
  const put = async (url: string, payload: object): Promise<void> => {
    const { statusCode, payload: body } = await server.inject({
      method: 'PUT',
      url: `/admin/v1${url}`,
      headers: { authorization: `Bearer ${key}` },
      payload,
    });
    if (statusCode >= 300) throw new Error(`the secrets and models of the test cannot be used: ${body}`);
  };
  let numbers = 0;
  return {
    context: context!,
    async numberWith({ secrets, models }) {
      const number = await platform.store.transaction(
        async (tx) =>
          platform.numbers.create(tx, { kind: 'network', type: 'network', address: `+2760${1_000_000 + ++numbers}`, name: 'Test' }).uuid,
      );
      for (const [name, value] of Object.entries(secrets)) await put(`/numbers/${number}/secrets`, { name, value });
      for (const [name, model] of Object.entries(models)) {
        await put(`/ai-connections/${crypto.randomUUID()}`, { number, name, vendor: 'openai-compatible', ...model });
      }
      return number;
    },
    close: () => server.stop(),
  };
}

const nothing = (): void => {};
const quiet: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => quiet };
