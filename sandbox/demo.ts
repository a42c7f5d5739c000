import { fileURLToPath } from 'node:url';
import { readJson, type Seed } from './seed.js';

export const DEMO_CHANNEL = 'web:demo';

/** Something to talk to: a channel with a connector, a journey on it, a webhook that hears of it, and a network number. */
export const demoSeed = ({ connector, receiver }: { connector: string; receiver: string }): Seed => ({
  numbers: [{ kind: 'network', address: '+27600000001', name: 'Demo Clinic', account: 'demo-account' }],
  channels: [{ from_addr: DEMO_CHANNEL, name: 'Demo Clinic on the web', endpoint: connector }],
  webhooks: [{ number: DEMO_CHANNEL, url: receiver, name: 'Demo receiver', subscriptions: ['msgapp'] }],
  journeys: [
    {
      uuid: undefined,
      number: DEMO_CHANNEL,
      name: 'Clinic',
      definition: readJson(fileURLToPath(new URL('./fixtures/clinic.journey.json', import.meta.url))),
      triggers: [{ on: 'message' }],
    },
  ],
});
