import t from 'tap';
import { onPlatform } from './on-platform.js';
import { startWorld } from './world.js';

t.test('the plugins of a platform name the cause of each refusal', async (t) => {
  const world = await startWorld(t);
  const { causes } = (await world.admin('GET', '/causes')).body as { causes: { cause: string }[] };
  for (const [cause, provoke] of Object.entries(onPlatform)) {
    const { status, headers, body } = await provoke(world).catch((error: Error) => ({ status: 0, headers: {}, body: error.stack }));
    t.equal((headers as Record<string, unknown>)['x-posthorn-cause'], cause, `${cause}: ${status} ${JSON.stringify(body)?.slice(0, 300)}`);
    t.ok(
      causes.some((one) => one.cause === cause),
      `${cause} is listed`,
    );
    t.ok(status >= 400, `${cause} is a refusal`);
  }
});
