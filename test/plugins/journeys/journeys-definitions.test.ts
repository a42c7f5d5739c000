import t from 'tap';
import { journeysService } from '../../../plugins/journeys/plugin.js';
import { startChannel } from '../channels/channel-under-test.js';
import { containers } from './engine/release-candidates.js';

/** Adds an unknown key to every object. */
function marked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(marked);
  if (typeof value !== 'object' || value === null) return value;
  return {
    ...Object.fromEntries(Object.entries(value).map(([key, item]) => [key, key === 'choices' ? item : marked(item)])),
    x_of_a_vendor: { kept: ['as', 1.5, null, ''] },
  };
}

t.test('a definition of any release candidate is returned unchanged, including unknown keys', async (t) => {
  const { admin, uuid, platform } = await startChannel(t);
  for (const [version, { container }] of Object.entries(containers)) {
    const definition = marked(container);
    const journey = platform.ids.uuid();
    const put = await admin('PUT', `/journeys/${journey}`, { number: uuid, name: version, definition, triggers: [] });
    t.equal(put.status, 200, version);
    t.strictSame((await admin('GET', `/journeys/${journey}`)).body.definition, definition, version);
    const { body } = await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' });
    t.strictSame((await platform.service(journeysService).revision(body.journey.revisions.production)).definition, definition, version);
  }
});
