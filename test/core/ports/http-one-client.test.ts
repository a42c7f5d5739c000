import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

/** Ways to reach the network without the client that enforces the target rules. */
const WAYS =
  /from '(undici|(node:)?(https?|http2|net|tls|dgram|dns|dns\/promises|child_process))'|import\('undici'\)|\bfetch\(|\bWebSocket\(/;
/** Adapters may use them for the client. Types, and `isIP`, which only parses text, are allowed everywhere. */
const ADAPTERS = /^(core\/adapters|plugins\/cluster\/postgres)\//;
/**
 * Calls between the processes of a cluster go to the URLs of its own members, the servers of shards and of `nodeHandler` listen nowhere, and
 * the stand-ins are for tests.
 */
const OWN =
  /^(plugins\/cluster\/(shard-host|routing\/shard-calls)\.ts$|core\/platform\/node-handler\.ts$|plugins\/[\w-]+\/testing\/|core\/testing\/stand-in\/)/;
/** Runs in browsers, which reach their own server only. */
const APPS = /^plugins\/([\w-]+\/)+app\//;

t.test('the platform reaches the network only through the one client: deliveries, journeys, integrations and models', async (t) => {
  const files = ['core', 'plugins'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  t.ok(files.length > 100);
  const breaches = files
    .filter((file) => !ADAPTERS.test(file) && !OWN.test(file) && !APPS.test(file))
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => WAYS.test(line) && !/import type|import \{ isIP \} from 'node:net'|^\s*(\*|\/\/|\/\*\*)/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
  t.strictSame(breaches, []);
});
