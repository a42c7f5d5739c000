import { ManualClock, ScriptedHttp, startPlatform } from '#core/testing';
import type { Seeded } from '../../sandbox/demo/apply-seed.js';
import { stateFile, stateText } from '../../sandbox/state/state-file.js';
import { plugins } from './scenario.js';
import type { Written } from './written.js';

/** The passphrase of the secrets in test/data/states. */
export const STATE_KEY = 'states of releases';

/** The state of a scenario's data folder as an export with sealed secrets. */
export async function exportedState(dataDir: string, { at, numbers, tokens, webhooks }: Written): Promise<string> {
  const clock = new ManualClock({ start: new Date(at) });
  const http = new ScriptedHttp({ clock }).answer('*', 'hang');
  const ends: (() => unknown)[] = [];
  const { platform } = await startPlatform({ teardown: (run: () => unknown) => ends.push(run) } as never, {
    plugins: plugins(),
    dataDir,
    ports: { clock, http },
  });
  try {
    const { collections, ...others } = await platform.readState();
    const { 'sandbox.made': _, ...kept } = collections;
    const numberOf = (uuid: string, kind: string, name: string, address: string, token: string) => ({ uuid, kind, name, address, token });
    const { connector, owner } = webhooks;
    const seeded: Seeded = {
      numbers: [
        numberOf(numbers.library, 'network', 'Library', '+27110000000', tokens.library),
        numberOf(numbers.desk, 'channel', 'Desk', 'desk', tokens.desk),
      ],
      channels: [
        {
          uuid: numbers.desk,
          name: 'Desk',
          webhook: { uuid: connector.uuid, hmac_secret: connector.secret },
          endpoint: 'https://connector.test/',
        },
      ],
      webhooks: [
        {
          uuid: owner.uuid,
          number: numbers.library,
          name: 'Owner',
          url: 'https://owner.test/',
          subscriptions: ['msgapp'],
          hmac_secret: owner.secret,
        },
      ],
      journeys: [],
    };
    const state = { ...others, collections: kept };
    return stateText(
      await stateFile({ clock: { paused: true, now: at }, state, seeded, integration: undefined }, { passphrase: STATE_KEY }),
    );
  } finally {
    for (const end of ends.reverse()) await end();
  }
}
