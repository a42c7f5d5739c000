import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import t from 'tap';

/** The command line on a Node that reports this version. */
function onNode(version: string): { status: number | null; stderr: string } {
  const other = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(other)}`, 'bin/posthorn.mjs', '--version'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stderr };
}

t.test('on an old Node the command line names the required version', async (t) => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  t.equal(engines.node, '>=20.19');
  for (const version of ['18.20.4', '20.18.3', '9.99.0']) {
    t.strictSame(onNode(version), { status: 2, stderr: `posthorn: Node ${version} is too old; install Node 20.19 or newer\n` });
  }
  for (const version of ['20.19.0', '22.1.0', '100.0.0']) t.notMatch(onNode(version).stderr, /too old/, version);
});
