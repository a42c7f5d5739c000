import { readFileSync } from 'node:fs';
import type { Server } from '@hapi/hapi';
import type { Platform } from '#core';
import { publishJourney, type Seeded } from './apply-seed.js';
import { library } from './demo.js';

const NAME = 'Riverside Library';

/** Connects a web chat, in which the journey of the demo answers. @returns the seeded records with it */
export async function provideChat(
  { platform, server, seeded }: { platform: Platform; server: Server; seeded: Seeded },
  adminKey: string,
): Promise<Seeded> {
  const { statusCode, payload } = await server.inject({
    method: 'POST',
    url: '/admin/v1/connections',
    headers: { authorization: `Bearer ${adminKey}` },
    payload: { type: 'webchat', name: NAME, settings: { key: 'library', name: NAME } },
  });
  if (statusCode !== 201) throw new Error(`the web chat of the demo cannot be connected: ${payload}`);
  const { uuid, kind, name, address } = (JSON.parse(payload) as { connection: { number: Seeded['numbers'][number] } }).connection.number;
  return platform.store.transaction(async (tx) => {
    const about = { uuid: undefined, number: uuid, name: NAME, notebook: readFileSync(library, 'utf8'), triggers: undefined };
    const journey = await publishJourney(platform, tx, about);
    const { text: token } = platform.tokens.issue(tx, uuid, 'sandbox');
    return {
      ...seeded,
      numbers: [...seeded.numbers, { uuid, kind, name, address, token }],
      journeys: [...seeded.journeys, journey],
    };
  });
}
