// `node scripts/sbom.mjs`: writes sbom.cdx.json, the software bill of materials of the package in the format CycloneDX. npm lists the installed
// packages; those that the build bundles are development dependencies for npm, so they are taken from the notices of the build.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './compile.mjs';

export const SBOM = 'sbom.cdx.json';
const DEVELOPMENT = 'cdx:npm:package:development';

/** Writes the file into `folder`. @returns the number of packages in it @throws Error when nothing is built, and when npm fails */
export function writeSbom(built = join(root, 'dist'), folder = root) {
  const bundled = bundledIn(built);
  const npm = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const { status, stdout, stderr } = spawnSync('npm', npm, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr.trim()}`);
  const bill = JSON.parse(stdout);
  const isTool = ({ properties = [], ...one }) => properties.some(({ name }) => name === DEVELOPMENT) && !bundled.has(one['bom-ref']);
  // npm takes the name of the folder.
  bill.metadata.component.name = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).name;
  bill.components = bill.components
    .filter((one) => !isTool(one))
    .map(({ properties = [], ...one }) => ({ ...one, properties: properties.filter(({ name }) => name !== DEVELOPMENT) }));
  const kept = new Set([bill.metadata.component, ...bill.components].map((one) => one['bom-ref']));
  bill.dependencies = bill.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }));
  writeFileSync(join(folder, SBOM), `${JSON.stringify(bill, null, 2)}\n`);
  return bill.components.length;
}

/** The packages that the notices of a build name, such as `preact@10.29.8`. */
function bundledIn(built) {
  const notices = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('NOTICES.txt'));
  if (notices.length === 0) throw new Error(`${built} has no notices of bundled packages; build it first: npm run build`);
  const lines = notices.flatMap((file) => readFileSync(join(built, file), 'utf8').split('\n'));
  return new Set(lines.flatMap((line) => (/^(?:@[\w-]+\/)?[\w.-]+ \d+\.\d+\.\d+\S*$/.test(line) ? [line.replace(' ', '@')] : [])));
}

if (process.argv[1] === import.meta.filename) console.log(`${SBOM}: ${writeSbom()} packages`);
