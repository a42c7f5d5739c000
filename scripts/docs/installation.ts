import { readFileSync } from 'node:fs';

interface Manifest {
  readonly version: string;
  /** Whether the registry of npm has a release. `scripts/publish.mjs --prepare` sets it; every page and hint follows. */
  readonly published: boolean;
  readonly repository?: { readonly url: string };
}

const sh = (...commands: readonly string[]): string => `\`\`\`sh\n${commands.join('\n')}\n\`\`\``;

/** How pages say where Posthorn comes from, for a package that is in the registry of npm and for one that is not. */
export function installation({ version, published, repository }: Manifest) {
  const tarball = `../posthorn/posthorn-${version}.tgz`;
  const checkout = `git clone ${repository?.url.replace(/^git\+/, '') ?? '…'} && cd posthorn`;
  const demo =
    'starts a sandbox with a demo: a channel with an example connector, a journey to talk to, a webhook receiver, and an integration, whose\npanel the console shows next to a conversation.';
  return {
    /** The first commands of the README. */
    start: published
      ? [
          'With Node 20.19 or later, in a folder of your own:',
          sh('npm install posthorn', 'npx posthorn'),
          `In a checkout (\`${checkout}\`), \`npm ci && npm start\` builds it and does the same, and \`npm ci && npm test\` runs the tests.`,
          `The command ${demo}`,
        ].join('\n\n')
      : [
          `With Node 20.19 or later, in a checkout (\`${checkout}\`), start a sandbox, or run the tests:`,
          sh('npm ci && npm start'),
          sh('npm ci && npm test'),
          `\`npm start\` ${demo}`,
        ].join('\n\n'),
    /** How a project gets the package. */
    install: published
      ? [
          sh('npm install posthorn @hapi/hapi'),
          `To use a checkout instead, run \`npm pack\` in it, and \`npm install ${tarball}\` in your project.`,
        ].join('\n\n')
      : [
          '`npm install posthorn` needs a published release, and there is none yet. Until then, pack the checkout with `npm pack`, and install the\ntarball, here in a folder beside the checkout:',
          sh(`npm install ${tarball} @hapi/hapi`),
        ].join('\n\n'),
    /** Where the commands of a page work. `readme` is the path of the README from that page. */
    commands: (readme: string): string =>
      published
        ? `\`npx posthorn\` works in every folder. [Install](${readme}#install) Posthorn in a project to fix its version there.`
        : `\`npx posthorn\` works in a checkout after \`npm ci && npm start\`, and where Posthorn is [installed](${readme}#install). In any other folder, write\n\`node PATH/bin/posthorn.mjs\` with the path of the checkout instead, as the hints of commands do there.`,
  };
}

const texts = () => installation(JSON.parse(readFileSync('package.json', 'utf8')) as Manifest);
const commandsOn = (file: string, readme: string) => ({ file, name: 'where the commands work', make: () => texts().commands(readme) });

/** The parts that change with the first release. */
export const installationParts = [
  { file: 'README.md', name: 'start', make: () => texts().start },
  { file: 'README.md', name: 'install', make: () => texts().install },
  commandsOn('sandbox/README.md', '../README.md'),
  commandsOn('sandbox/conformance.md', '../README.md'),
  commandsOn('sandbox/examples/README.md', '../../README.md'),
];
