// A registry of npm packages on this machine that has one package; requests for other packages are redirected to the real registry.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

/** Serves a tarball as the newest version of its package. */
export async function startRegistry(tarball, manifest, upstream) {
  const bytes = readFileSync(tarball);
  const server = createServer(({ url }, response) => {
    if (url === `/${manifest.name}`) return void response.setHeader('content-type', 'application/json').end(JSON.stringify(packument()));
    if (url === '/package.tgz') return void response.setHeader('content-type', 'application/octet-stream').end(bytes);
    response.writeHead(302, { location: new URL(`.${url}`, upstream).href }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    url,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };

  function packument() {
    const { name, version } = manifest;
    const dist = { tarball: `${url}/package.tgz`, integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}` };
    return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
  }
}
