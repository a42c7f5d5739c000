// `node scripts/sbom.mjs`: writes sbom.cdx.json, the software bill of materials of the package in the format CycloneDX. npm lists the installed
// packages; those that the build bundles are development dependencies for npm, so they are added from the notices of the build.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, root } from './compile.mjs';

export const SBOM = 'sbom.cdx.json';
const DEVELOPMENT = 'cdx:npm:package:development';

/** The packages that the notices in a build name, such as `preact@10.29.8`. */
const bundled = (built) =>
  new Set(
    filesIn(built, 'NOTICES.txt').flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/^((?:@[\w-]+\/)?[\w.-]+) (\d+\.\d+\.\d+\S*)$/gm)].map(
        ([, name, version]) => `${name}@${version}`,
      ),
    ),
  );

/** Writes the file. @returns the number of packages in it @throws Error when npm fails */
export function writeSbom(built = 'dist') {
  const { status, stdout, stderr } = spawnSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr.trim()}`);
  const all = JSON.parse(stdout);
  const inBundle = bundled(built);
  const isDevelopment = ({ properties = [] }) => properties.some(({ name, value }) => name === DEVELOPMENT && value === 'true');
  const components = all.components
    .filter((one) => !isDevelopment(one) || inBundle.has(one['bom-ref']))
    .map(({ properties = [], ...one }) => ({ ...one, properties: properties.filter(({ name }) => name !== DEVELOPMENT) }));
  const kept = new Set([all.metadata.component['bom-ref'], ...components.map((one) => one['bom-ref'])]);
  const dependencies = all.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }));
  // npm takes the name of the folder.
  all.metadata.component.name = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).name;
  writeFileSync(join(root, SBOM), `${JSON.stringify({ ...all, components, dependencies }, null, 2)}\n`);
  return components.length;
}

if (process.argv[1] === import.meta.filename) console.log(`${SBOM}: ${writeSbom()} packages`);
