// `node scripts/pack-check.mjs`: packs the package and tests the tarball like a user. Checks its files, runs publint and attw, installs it in a
// project with strict TypeScript (`nodenext` and `bundler`) and plain JavaScript, and creates plugins and a project. Each build and each
// installation serves as many steps as possible, because CI has two cores for all checks.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { root, tsc } from './compile.mjs';
import { installedSize } from './installed-size.mjs';
import { nodeReleases } from './node-releases.mjs';
import { packageFolder } from './on-demand.mjs';
import { buildAreaOutside } from './outside-area.mjs';
import { blockOf, runEmbedSample } from './readme-sample.mjs';
import { startRegistry } from './registry.mjs';

const WANTED =
  /^(package\.json|test\.schema\.json|sbom\.cdx\.json|(README|SECURITY|CHANGELOG|CONTRIBUTING)\.md|LICENSE|core\/[\w-]+\.(md|svg)|(core\/contract|plugins\/journeys)\/reference\.md|plugins\/cluster\/(operations|database)\.md|sandbox\/[\w-]+\.md|bin\/[\w-]+\.mjs|dist\/(core|plugins|sandbox)\/.+\.(js|d\.ts|json|css|html|gz)|dist\/chunks\/[\w-]+\.js|dist\/core\/(phone-numbers|prometheus-client)\.cjs|dist\/(core\/)?NOTICES\.txt|dist\/sandbox\/demo\/\w+\.md|plugins\/journeys\/engine\/notebook\/editor\/[\w.-]+\.(json|ts)|dist\/plugins\/(flows\/preview\/player|(console|webchat)\/built)\/NOTICES\.txt|sandbox\/pictures\/\w+\.webp|(core|plugins|sandbox)\/.*README\.md|sandbox\/examples\/.+\.(ts|mjs|py|json)|sandbox\/examples\/deploy\/(Caddyfile|compose\.yaml|posthorn\.(env|service))|sandbox\/agent\/SKILL\.md|sandbox\/recipes\/.+\.(md|ts|py|go|java|php|rb)|sandbox\/starters\/(polled-chat\/)?[\w-]+(\.test)?\.(ts|py|go)|sandbox\/starters\/project\/[\w.]+\.(md|yaml|yml))$/;
const MAX_BYTES = 4 * 1024 * 1024;
/** Megabytes on disk, as `du -m` counts them: small files take a block each. */
const MAX_INSTALLED_MB = 26;
/** The oldest release that `engines` allows, and the newest of each line with long-term support. */
const NODE_RELEASES = ['20.19.0', '20', '22', '24'];
const folder = mkdtempSync(join(tmpdir(), 'posthorn-pack-'));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const subpaths = Object.keys(manifest.exports)
  .filter((subpath) => !subpath.endsWith('.json'))
  .map((subpath) => subpath.replace('.', manifest.name));
/** The function that an entry point of a plugin exports: `cloudApi` of `posthorn/plugins/cloud-api`. */
const factoryOf = (subpath) =>
  subpath
    .split('/')
    .at(-1)
    .replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
const plugins = subpaths.filter((name) => /\/plugins\/[^/]+$/.test(name));
const nameOf = (subpath) => subpath.replace(/\W+/g, '_');

const run = (command, args, cwd = folder) => {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    throw new Error(`${command} ${args.join(' ')} in ${cwd}\n${error.stdout}\n${error.stderr}`);
  }
};
const newProject = (project) => {
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'scratch', private: true, type: 'module' }));
};
const inShell = (line, cwd, more) => {
  const env = { ...process.env, npm_config_audit: 'false', npm_config_fund: 'false', npm_config_prefer_offline: 'true', ...more };
  return promisify(execFile)('/bin/sh', ['-c', line], { cwd, env, maxBuffer: 64 * 1024 * 1024 });
};
/** Runs a command that creates files, and pastes the command that it prints into a shell. Leaves this process responsive. */
const followed = async (command, cwd, more) => {
  const { stderr } = await inShell(command, cwd, more);
  const { stdout } = await inShell(/^Next: (.+)$/m.exec(stderr)[1], cwd, more);
  return /pass \d+/.exec(stdout)[0];
};
const node = (args, cwd) => run(process.execPath, args, cwd);
const step = async (what, work) => {
  const startedAt = performance.now();
  const result = await work();
  console.log(`ok  ${what}${result ? `: ${result}` : ''}  (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
};

try {
  const tarball = join(folder, 'posthorn.tgz');

  // Before anything is installed here, as installed packages would supply missing types.
  await step('the command printed by posthorn plugin new works in a checkout built by npm start, and builds and packs it', async () => {
    node([join(root, 'scripts/build.mjs'), '--js'], root);
    const passed = await followed(`'${process.execPath}' '${join(root, 'bin/posthorn.mjs')}' plugin new night-mail`, folder);
    cpSync(join(folder, 'night-mail', `${manifest.name}-${manifest.version}.tgz`), tarball);
    return passed;
  });

  const unpacked = join(folder, 'unpacked');
  const packed = (file) => readFileSync(join(unpacked, file), 'utf8');

  await step('the package contains only files that users need', () => {
    mkdirSync(unpacked);
    run('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);
    const files = packedFiles(unpacked);
    const others = files.filter((file) => !WANTED.test(file));
    if (others.length > 0) throw new Error(`the package has unexpected files: ${others.join(', ')}`);
    const bytes = readFileSync(tarball).length;
    if (bytes > MAX_BYTES) throw new Error(`the package has ${bytes} bytes, more than ${MAX_BYTES}`);
    return `${files.length} files, ${(bytes / 1024).toFixed(0)} KiB`;
  });

  await step('the package contains the licences of bundled code', () => {
    const notices = packed('dist/plugins/flows/preview/player/NOTICES.txt');
    const licence = readFileSync(join(root, 'node_modules/preact/LICENSE'), 'utf8').trim();
    if (!notices.includes(licence)) throw new Error(`the licence of preact is missing in '${notices}'`);
  });

  await step('links of the pages lead to files of the package', () => {
    const files = new Set(packedFiles(unpacked));
    const pages = [...files].filter((file) => file.endsWith('.md'));
    const dead = pages.flatMap((page) => {
      const targets = [...packed(page).matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map(([, target]) => target);
      return targets.filter((target) => !files.has(join(dirname(page), target))).map((target) => `${page}: ${target}`);
    });
    if (dead.length > 0) throw new Error(`broken links: ${dead.join(', ')}`);
    return `${pages.length} pages`;
  });

  await step('publint finds no problems', async () => {
    const { buffer, byteOffset, byteLength } = readFileSync(tarball);
    const { messages } = await publint({ pack: { tarball: buffer.slice(byteOffset, byteOffset + byteLength) }, strict: true });
    if (messages.length > 0) throw new Error(messages.map((message) => formatMessage(message, manifest)).join('\n'));
  });

  await step('a dry run of the publication with provenance passes', () =>
    node([join(root, 'scripts/publish.mjs'), '--dry-run', tarball], root)
      .trim()
      .split('\n')
      .join('; '),
  );

  await step('attw finds types for every subpath', () => {
    node([
      join(packageFolder('@arethetypeswrong/cli'), 'dist/index.js'),
      tarball,
      '--profile',
      'esm-only',
      '--format',
      'ascii',
      '--no-color',
    ]);
  });

  await step('the command printed by posthorn plugin new works for a package installed from a registry', async () => {
    // A registry has published packages only.
    const manifestFile = join(unpacked, 'package.json');
    writeFileSync(manifestFile, readFileSync(manifestFile, 'utf8').replace('"published": false', '"published": true'));
    const published = join(folder, run('npm', ['pack', '--silent', '--ignore-scripts', unpacked]).trim());
    const upstream = `${run('npm', ['config', 'get', 'registry']).trim().replace(/\/$/, '')}/`;
    const registry = await startRegistry(published, manifest, upstream);
    const project = join(folder, 'from-registry');
    newProject(project);
    try {
      const more = { npm_config_registry: registry.url };
      await inShell('npm install posthorn', project, more);
      return await followed('npx posthorn plugin new day-mail', project, more);
    } finally {
      registry.close();
    }
  });

  await step('the package installs from a tarball with one copy of hapi as a peer, in at most 26 MB of disk', async () => {
    newProject(folder);
    await inShell(`npm install '${tarball}'`, folder);
    const copies = run('npm', ['ls', '@hapi/hapi', '--parseable']).trim().split('\n').length;
    if (copies !== 1) throw new Error(`${copies} copies of hapi are installed`);
    const { megabytes, largest } = installedSize(join(folder, 'node_modules'));
    const shown = `${megabytes.toFixed(1)} MB; largest: ${largest.map(([name, size]) => `${name} ${size.toFixed(1)}`).join(', ')}`;
    if (megabytes > MAX_INSTALLED_MB) throw new Error(`more than ${MAX_INSTALLED_MB} MB: ${shown}`);
    return shown;
  });

  await step('the command printed by posthorn plugin new works for a package installed from a tarball', () =>
    followed('npx posthorn plugin new day-mail', folder),
  );

  await step('the command printed by posthorn plugin new --like telegram works for a package installed from a tarball', () =>
    followed('npx posthorn plugin new my-chat --like telegram', folder),
  );

  await step('a project of posthorn init passes its npm test, with a package installed from a tarball', () =>
    followed('npx posthorn init my-app', folder),
  );

  await inShell(`npm install --no-save '@types/node@${manifest.devDependencies['@types/node']}'`, folder);
  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]) {
    await step(`strict TypeScript compiles against every subpath, moduleResolution ${moduleResolution}`, () => {
      const project = join(folder, moduleResolution);
      mkdirSync(project);
      writeFileSync(join(project, 'index.ts'), typeScript());
      writeFileSync(join(project, 'server.ts'), blockOf('ts embed'));
      writeFileSync(
        join(project, 'tsconfig.json'),
        JSON.stringify({
          compilerOptions: {
            ...{ target: 'es2023', module, moduleResolution, strict: true, exactOptionalPropertyTypes: true, verbatimModuleSyntax: true },
            // Checks our declarations, too: they may depend on installed packages only.
            ...{ skipLibCheck: false, types: ['node'], noEmit: true },
          },
          include: ['index.ts', 'server.ts'],
        }),
      );
      node([...tsc, '-p', project], project);
    });
  }

  await step('an area of this project builds and passes its tests as a package of its own', () => buildAreaOutside(folder));

  const project = join(folder, 'javascript');
  mkdirSync(project);
  cpSync(join(root, 'scripts/pack-check'), project, { recursive: true });
  let releases = new Map([[process.version, process.execPath]]);
  await step(`the registry has Node ${NODE_RELEASES.join(', ')}`, () => {
    try {
      releases = nodeReleases(NODE_RELEASES);
      return '';
    } catch (error) {
      return `skipped, only this Node is tested: ${error.message}`;
    }
  });
  for (const [release, path] of releases) {
    await step(`Node ${release} imports every subpath without side effects, delivers from a worker thread, and runs a sandbox`, () => {
      run(path, [join(project, 'imports.mjs'), ...subpaths], project);
      const served = run(path, [join(project, 'serves.mjs'), ...plugins], project).trim();
      const cli = join(folder, 'node_modules/posthorn/bin/posthorn.mjs');
      const sent = run(path, [cli, 'exec', '--', path, cli, 'send', 'hi'], project);
      if (!sent.includes('Welcome to the Riverside Library')) throw new Error(`the demo responded '${sent}'`);
      return `${run(path, ['--version']).trim()}, ${served}`;
    });
  }

  await step('the embedding sample of the README receives and sends a message', async () => {
    const { printed } = await runEmbedSample(project, 12_000 + (process.pid % 18_000));
    return printed.replace('\n', ', ');
  });

  await step('imports of other paths are refused', () => {
    const attempt = `import('${manifest.name}/dist/core/index.js').then(() => process.exit(1), (e) => process.exit(e.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED' ? 0 : 1))`;
    node(['-e', attempt], folder);
  });

  await step('the command line runs', () => {
    const printed = run(join(folder, 'node_modules/.bin/posthorn'), ['--version']).trim();
    if (!printed.includes(manifest.version)) throw new Error(`posthorn --version printed '${printed}'`);
    return printed;
  });

  await step('the example programs run with the commands of their page', async () => {
    const page = readFileSync(join(root, 'sandbox/examples/README.md'), 'utf8');
    const commands = page.match(/^(node|python3) node_modules\/\S+$/gm) ?? [];
    if (commands.length === 0) throw new Error('the page has no command');
    await inShell(`npm install --no-save 'express@${manifest.devDependencies.express}'`, folder);
    await Promise.all(commands.map((command) => listens(command)));
    return `${commands.length} programs`;
  });
} catch (error) {
  console.error(`not ok  ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The paths of all files below a folder. */
function packedFiles(unpacked) {
  const entries = readdirSync(unpacked, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => relative(unpacked, join(entry.parentPath, entry.name)));
}

/** Runs a program until it prints its address. */
function listens(command) {
  const [file, ...args] = command.split(' ');
  const child = spawn(file, args, { cwd: folder, env: { ...process.env, PORT: '0', POSTHORN_SECRET: 'secret' }, timeout: 60_000 });
  return new Promise((resolve, reject) => {
    let output = '';
    const onData = (chunk) => {
      output += chunk;
      if (/ on http:\/\/127\.0\.0\.1:\d+/.test(output)) child.kill();
    };
    child.stdout.on('data', onData);
    child.stderr.on('data', onData);
    child.once('error', reject);
    child.once('close', () => (/ on http:/.test(output) ? resolve() : reject(new Error(`${command} printed '${output}'`))));
  });
}

/** Source that imports every subpath and uses some exports. Fails to compile if types are `any` by mistake. */
function typeScript() {
  const imports = subpaths.map((subpath) => `import * as ${nameOf(subpath)} from '${subpath}';`);
  const uses = plugins.map((subpath) => `${nameOf(subpath)}.${factoryOf(subpath)}()`);
  return [
    ...imports,
    `import Hapi from '@hapi/hapi';`,
    `const platform: posthorn.Platform = posthorn.createPlatform({ plugins: [${uses.join(', ')}] });`,
    `await Hapi.server().register(platform.hapiPlugin);`,
    // Unknown members and options must be errors; with `any` they would not be.
    `// @ts-expect-error`,
    `platform.nothingOfThisName;`,
    `// @ts-expect-error`,
    `posthorn.createPlatform({ plugins: [], dataDirectory: '.' });`,
    `export const all: readonly object[] = [${subpaths.map(nameOf).join(', ')}];`,
    '',
  ].join('\n');
}
