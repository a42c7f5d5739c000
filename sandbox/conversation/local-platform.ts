import Hapi from '@hapi/hapi';
import { createPlatform, type Logger } from '#core';
import { InvalidJourney, journeys, journeysService } from '../../plugins/journeys/plugin.js';
import { simulation } from '../../plugins/simulation/plugin.js';
import type { JourneySource } from '../notebooks/journey-file.js';
import type { StandIns } from './skill-stand-ins.js';

/** Starts a platform in memory, without a port, and publishes one journey to both revisions. @throws when the journey cannot be published */
export async function openLocalPlatform(source: JourneySource, standIns: StandIns = {}) {
  const server = Hapi.server();
  const key = crypto.randomUUID();
  const platform = createPlatform({
    plugins: [journeys(), simulation()],
    rateLimits: false,
    admin: { key },
    privateTargets: 'allow',
    ports: { log: quiet },
  });
  await server.register(platform.hapiPlugin);
  await server.initialize();
  const close = (): Promise<void> => server.stop();
  try {
    const { number, uuid, token } = await platform.store.transaction(async (tx) => {
      const number = platform.numbers.create(tx, { kind: 'network', type: 'network', address: '+27600000001', name: 'File' });
      const { journey } = await platform.service(journeysService).put(tx, {
        number: number.uuid,
        name: 'File',
        ...source,
        triggers: [],
      });
      for (const revision of ['staging', 'production'] as const)
        await platform.service(journeysService).publish(tx, journey.uuid, revision);
      return { number: number.uuid, uuid: journey.uuid, token: platform.tokens.issue(tx, number.uuid, 'sim').text };
    });
    for (const [name, source] of Object.entries(standIns)) {
      const url = `/admin/v1/code-skills/${crypto.randomUUID()}`;
      const payload = { number, name, source };
      const { statusCode, payload: answer } = await server.inject({
        method: 'PUT',
        url,
        headers: { authorization: `Bearer ${key}` },
        payload,
      });
      if (statusCode !== 200) throw new Error(`the stand-in for ${name} is refused: ${answer}`);
    }
    const post = async (path: string, payload: object) => {
      const answer = await server.inject({ method: 'POST', url: path, headers: { authorization: `Bearer ${token}` }, payload });
      return { status: answer.statusCode, body: JSON.parse(answer.payload) as unknown };
    };
    return { post, journey: uuid, close };
  } catch (error) {
    await close();
    throw error instanceof InvalidJourney
      ? new Error(`the journey cannot be published: ${error.message}; find the place with: npx posthorn journey lint FILE`)
      : error;
  }
}

const nothing = (): void => {};
const quiet: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => quiet };
