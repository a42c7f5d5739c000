import { rmSync } from 'node:fs';
import { anyString, array, definePlugin, integer, NotFound, nullable, object, oneOf, permit, route, string } from '#core';
import { sandboxCauses } from '../../causes.js';
import { listCassettes } from './list-cassettes.js';

const cassetteSchema = object({
  /** Its path below `.posthorn/cassettes` without `.jsonl`: that of the test file. */
  name: string(),
  bytes: integer(),
  changed_at: string(),
  /** How many requests it has. */
  requests: integer(),
  /** The first lines of the first requests: method and URL, or the connection of a model. */
  recorded: array(object({ kind: oneOf('http', 'model'), title: anyString() })),
  /** Why it cannot be read. */
  problem: nullable(string()),
});

/** Lists and deletes the recordings of `posthorn test` in the folder of the sandbox. */
export const cassettesPlugin = ({ folder }: { folder(): string }) =>
  definePlugin({
    name: 'cassettes',
    version: '0.1.0',
    permissions: {
      'cassettes.read': permit.everyone('List cassettes.'),
      'cassettes.write': permit.authors('Delete cassettes.'),
    },
    causes: sandboxCauses.cassettes,
    register: () => ({
      admin: [
        route({
          method: 'GET',
          path: '/cassettes',
          permission: 'cassettes.read',
          summary:
            'Lists the cassettes of `posthorn test` in the folder of the sandbox: recorded HTTP requests and model replies, without credentials.',
          responses: { 200: object({ folder: string(), cassettes: array(cassetteSchema) }) },
          handler: () => ({ folder: folder(), cassettes: listCassettes(folder()).map(({ file: _, ...shown }) => shown) }),
        }),
        route({
          method: 'DELETE',
          path: '/cassettes/{name}',
          permission: 'cassettes.write',
          summary:
            'Deletes a cassette. `name` may contain percent-encoded slashes. The next run of its tests with `--record=new` records it again.',
          request: { params: object({ name: string() }) },
          responses: { 200: object({ cassettes: array(cassetteSchema) }) },
          errors: [404],
          handler({ params: { name } }) {
            // Only names of the list, so that no path leaves the folder.
            const found = listCassettes(folder()).find((one) => one.name === name);
            if (!found) throw new NotFound('cassette', name);
            rmSync(found.file);
            return { cassettes: listCassettes(folder()).map(({ file: _, ...shown }) => shown) };
          },
        }),
      ],
    }),
  })();
