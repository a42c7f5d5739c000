import type { Server } from '@hapi/hapi';
import type { Platform, Plugin } from '#core';
import { networkAddress } from '#core/messaging';
import { type CloudApiOptions, type CloudNumber, cloudApi, graphFlowOperator } from '../../plugins/cloud-api/plugin.js';
import { flows } from '../../plugins/flows/plugin.js';
import type { Seeded } from '../demo/apply-seed.js';
import { readJsonFile } from '../terminal/json-file.js';

/** Numbers of a sandbox that are on the Cloud API. */
export interface CloudNumbers {
  /** The plugins of the sandbox, with those that reach the network. */
  pluginsWith(builtIn: readonly Plugin[]): Plugin[];
  /** Creates and connects the numbers when the sandbox runs. @returns the seeded records with these numbers and their tokens */
  connect(run: { platform: Platform; server: Server; adminKey: string; seeded: Seeded }): Promise<Seeded>;
}

/** @param given the options of the plugin, or the path of a JSON file that contains them @throws UsageError, Error when the file cannot be read */
export function cloudNumbers(given: string | CloudApiOptions): CloudNumbers {
  const { numbers = [], ...options } = typeof given === 'string' ? (readJsonFile(given) as CloudApiOptions) : given;
  const flowOperator = graphFlowOperator();
  return {
    pluginsWith: (builtIn) => [
      ...builtIn.map((plugin) => (plugin.manifest.name === 'flows' ? flows({ operator: flowOperator }) : plugin)),
      cloudApi({ ...options, flowOperator }),
    ],
    async connect(run) {
      let { seeded } = run;
      for (const number of numbers) seeded = await connected(run, seeded, number);
      return seeded;
    },
  };
}

async function connected(
  { platform, server, adminKey }: { platform: Platform; server: Server; adminKey: string },
  seeded: Seeded,
  { address: written, name = written, phoneNumberId, wabaId, accessToken, appSecret, verifyToken }: CloudNumber,
): Promise<Seeded> {
  const address = networkAddress(written);
  if (address === undefined) throw new Error(`--cloud-api: ${JSON.stringify(written)} is not an international phone number`);
  const existing = (await platform.numbers.list()).find((one) => one.kind === 'network' && networkAddress(one.address) === address);
  const number =
    existing ??
    (await platform.store.transaction((tx) =>
      platform.numbers.create(tx, { kind: 'network', type: 'network', address, name, account: wabaId }),
    ));
  const { statusCode, payload } = await server.inject({
    method: 'PUT',
    url: `/admin/v1/cloud-api/numbers/${number.uuid}`,
    headers: { authorization: `Bearer ${adminKey}` },
    payload: {
      phone_number_id: phoneNumberId,
      waba_id: wabaId,
      access_token: accessToken,
      app_secret: appSecret,
      verify_token: verifyToken,
    },
  });
  if (statusCode !== 200) throw new Error(`--cloud-api: number ${address} cannot be connected: ${payload}`);
  const { webhook } = (JSON.parse(payload) as { connection: { webhook: string } }).connection;
  if (seeded.numbers.some(({ uuid }) => uuid === number.uuid))
    return { ...seeded, numbers: seeded.numbers.map((one) => (one.uuid === number.uuid ? { ...one, webhook } : one)) };
  const { text: token } = await platform.store.transaction((tx) => platform.tokens.issue(tx, number.uuid, 'sandbox'));
  const { uuid, kind } = number;
  return { ...seeded, numbers: [...seeded.numbers, { uuid, kind, name: number.name, address: number.address, token, webhook }] };
}
