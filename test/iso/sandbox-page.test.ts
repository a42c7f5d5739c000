import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { onlyLong } from '../forms.js';
import { blocksOf, sample } from '../pages/samples.js';
import { admin, newFolder, posthorn, run, startSandbox } from './posthorn-process.js';

const PAGE = 'sandbox/README.md';
/** The URL on the page. */
const PRINTED = 'http://127.0.0.1:4100';

/** The commands of a session, and what each prints. Read in the test: while files are imported, tests of others work in their own folders. */
const session = () =>
  blocksOf(PAGE)
    .find(({ name }) => name === 'session')!
    .code.split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const end = step.search(/[^\\]\n/) + 1;
      return { command: step.slice(0, end), output: step.slice(end + 1).trimEnd() };
    });

t.test('the session on the page of the sandbox prints what the page shows, in every run', { skip: onlyLong }, async (t) => {
  const folder = newFolder(t);
  writeFileSync(join(folder, 'shop.json'), sample(PAGE, 'json', 'seed'));
  const [first, ...others] = session();
  const { ready, out } = await startSandbox(t, folder, ...first!.command.split(' ').slice(3, -1));
  const asPrinted = (text: string): string => text.trimEnd().replaceAll(ready.api, PRINTED);
  t.equal(asPrinted(out()), first!.output, first!.command);
  for (const { command, output } of others) {
    const [program, ...args] = command.split(' ');
    const running =
      program === 'npx'
        ? posthorn(t, folder, args.slice(1))
        : run(
            t,
            [
              '--eval',
              'process.exit(require("node:child_process").spawnSync("sh", ["-c", process.argv[1]], { stdio: "inherit" }).status)',
              command.replaceAll(PRINTED, ready.api),
            ],
            folder,
          );
    await running.ended;
    t.equal(asPrinted(running.out()), output, command);
    // An attempt that the command caused ends before the next one.
    while (
      (await admin(ready, 'GET', '/deliveries')).deliveries.some(
        ({ state }: { state: string }) => state === 'queued' || state === 'sending',
      )
    );
  }
});
