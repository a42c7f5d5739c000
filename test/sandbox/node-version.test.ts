import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import t from 'tap';

/** The command line on a Node that says it is of this version. */
function onNode(version: string): { status: number | null; stderr: string } {
  const other = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(other)}`, 'bin/posthorn.mjs', '--version'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stderr };
}

t.test('on a Node that is too old the command line says which one it needs', async (t) => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  t.equal(engines.node, '>=20.19');
  for (const version of ['18.20.4', '20.18.3', '9.99.0']) {
    t.strictSame(onNode(version), { status: 2, stderr: `posthorn: this is Node ${version}; it needs 20.19 or newer\n` });
  }
  for (const version of ['20.19.0', '22.1.0', '100.0.0']) t.notMatch(onNode(version).stderr, /it needs/, version);
});
